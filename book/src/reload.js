// Reloads the page when the book was built anew. Only a page that can be seen
// waits for it: a browser has few connections to one server.
(() => {
  let source = null;
  let built = null;
  const listen = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      source = new EventSource("/-/builds");
      source.onmessage = (event) => {
        built ??= event.data;
        if (event.data !== built) location.reload();
      };
    }
  };
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => source?.close());
  listen();
})();
