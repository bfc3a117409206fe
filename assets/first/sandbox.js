/* In a sandboxed frame without allow-same-origin: say so in place of a page whose files the browser refuses. */
if (self.origin === "null") {
  /** @type {Record<string, string>} by language */
  const sentences = JSON.parse(document.currentScript?.dataset.given ?? "");
  const named = new URLSearchParams(location.search).get("lang") ?? navigator.language.slice(0, 2);
  const lang = Object.hasOwn(sentences, named) ? named : "en";
  addEventListener("DOMContentLoaded", () => {
    const notice = document.createElement("p");
    const link = document.createElement("a");
    Object.assign(link, { href: location.href, target: "_blank", rel: "noopener", textContent: location.href });
    Object.assign(notice, { className: "missing", lang, role: "alert" });
    notice.append(`${sentences[lang]} `, link);
    document.body.prepend(notice);
  });
}
