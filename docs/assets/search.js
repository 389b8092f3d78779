/* What the search is asked, in the syntax of the theme's own worker, which answers it.

   The worker reads "ref:any" as the word "any" in a field "ref", which there is not, and
   "within_clicks" as either word. Here a key and every word of a name have to be there; "+" says so
   to the worker. */
const plain = (query) =>
  query
    .replace(/(\w+):(?=\w)/g, "+$1 ")
    .replace(/[:|]/g, " ")
    .replace(/\w*[^\W_]_\w+/g, (name) => "+" + name.split(/_+/).filter(Boolean).join(" +"));

addEventListener("message", ({ data: message }) => {
  if (typeof message.data === "string") message.data = plain(message.data);
});

/* The page names the worker, whose own name changes with the version of the theme. */
importScripts("javascripts/workers/" + location.search.slice(1));
