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
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
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
