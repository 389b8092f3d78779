// A field above a long table that hides the rows without the words typed. Without this script the
// whole table is there.
for (const region of document.querySelectorAll(".filterable")) {
  const rows = [...region.querySelectorAll("tbody tr")];
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("output");
  label.className = "filter";
  field.type = "search";
  field.autocomplete = "off";
  label.append("Show only rows with ", field, " ", count);
  const filter = () => {
    const plain = field.value.toLowerCase().replace(/[\u2010-\u2014]/g, "-");
    const words = plain.split(/[\s"'“”‘’,;]+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };
  field.addEventListener("input", filter);
  filter();
  region.prepend(label);
}

// The form of a Cite block: writes signature, sentence and footnote for the values picked. Without
// this script they stand there for the preselected values.
for (const block of document.querySelectorAll(".cite")) {
  const form = block.querySelector("form");
  const cite = JSON.parse(form.querySelector("script").textContent);
  const texts = {};
  for (const each of block.querySelectorAll("[data-cite]")) {
    texts[each.dataset.cite] = each.querySelector("code");
  }
  const clicks = form.querySelector(".cite-clicks");
  const [field, wrong] = [clicks.querySelector("input"), clicks.querySelector("output")];
  const note = block.querySelector(".cite-note");
  const write = () => {
    const picked = Object.fromEntries(new FormData(form));
    const sigma = cite.keys.includes("sigma");
    const withClicks = sigma || picked.truth === "clicks";
    clicks.hidden = !withClicks;
    // What is no digest never gets into a text.
    const digest = field.value.trim().toLowerCase();
    const valid = /^[0-9a-f]{8}$/.test(digest);
    picked.clicks = valid ? digest : field.defaultValue;
    field.setAttribute("aria-invalid", !valid);
    wrong.textContent = valid ? "" : "expected 8 hex digits, as in 9d01b7c2";
    if (note) note.hidden = !withClicks || picked.clicks !== field.defaultValue;
    const fields = cite.keys.map((key) => [key, picked[key]]);
    fields.push(["data", cite.data]);
    if (withClicks) fields.push(["clicks", picked.clicks]);
    fields.push(["truth", picked.truth]);
    if (sigma) fields.push(["pool", picked.pool]);
    fields.push(["split", picked.split], ["n", cite.n[picked.split]], ["v", cite.v]);
    const values = [...cite.keys.map((key) => picked[key]), picked.truth];
    fields.push(["h", cite.h[values.join(",")]]);
    const pairs = fields.map(([key, value]) => `${key}:${value}`);
    const signature = [cite.measure, ...pairs].join("|");
    const latex = `\\texttt{${signature.replaceAll("|", "|\\allowbreak{}")}}`;
    texts.signature.textContent = signature + "\n";
    texts.sentence.textContent = cite.sentence.replace(/\{\{(\w+)\}\}/g, (_, key) =>
      key === "signature" ? signature : cite.words[key][picked[key]]) + "\n";
    texts.footnote.textContent = cite.footnote.replace("{{signature}}", () => latex) + "\n";
  };
  form.addEventListener("input", write);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  // A browser may put back what was picked when one returns to the page.
  addEventListener("pageshow", write);
  write();
}

// The theme opens the list of pages on a phone by a label, which the keyboard does not reach.
for (const label of document.querySelectorAll(".md-header label[for=__drawer]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `${label.className} pages`;
  button.setAttribute("aria-label", "Pages");
  button.append(...label.childNodes);
  button.addEventListener("click", () => document.getElementById("__drawer").click());
  label.replaceWith(button);
}

// A button that copies what a block of code holds; of an example, what one types.
const typed = (lines) =>
  lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4));
const copied = (listing) => {
  const lines = listing.querySelector("pre code").textContent.trimEnd().split("\n");
  return (listing.querySelector(".language-pycon") ? typed(lines) : lines).join("\n");
};
for (const listing of navigator.clipboard ? document.querySelectorAll(".listing") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(copied(listing));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  listing.querySelector("figcaption").append(button);
}
