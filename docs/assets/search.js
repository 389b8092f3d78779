/* What stands between a page and the theme's own worker, which answers the search.

   The worker reads "ref:any" as the word "any" in a field "ref", which there is not, and
   "within_clicks" as either word. Here a key and every word of a name have to be there; "+" says so
   to the worker. And it would index the whole site on every page, whether or not anyone searches:
   here it waits for the first question. */
const READY = 1;
let index;

const plain = (query) =>
  query
    .replace(/["'“”‘’`(){}[\]^$~?\\<>+]|(^|\s)-+/g, " ")
    .replace(/(\w+):(?=\w)/g, "+$1 ")
    .replace(/[:|]/g, " ")
    .replace(/\w*[^\W_]_\w+/g, (name) => "+" + name.split(/_+/).filter(Boolean).join(" +"));

const tell = (data) => dispatchEvent(new MessageEvent("message", { data }));

addEventListener("message", (event) => {
  // What this script tells the worker has no origin in the page.
  if (!event.isTrusted) return;
  event.stopImmediatePropagation();
  const message = event.data;
  if (typeof message.data !== "string") {
    index = message;
    postMessage({ type: READY });
    return;
  }
  if (index) tell(index);
  index = undefined;
  // Later, since the worker does not index at once.
  setTimeout(() => tell({ ...message, data: plain(message.data) }));
});

/* The page names the worker, whose own name changes with the version of the theme. */
importScripts("javascripts/workers/" + location.search.slice(1));
