// The pages work without this. It answers a what-if while one types, in place
// and with a link to share, and keeps nothing.
"use strict";

for (const form of document.querySelectorAll("form[data-live]")) {
  const id = form.dataset.live;
  let pending = null;

  const ask = async () => {
    pending?.abort();
    pending = new AbortController();
    const address = new URL(form.action);
    address.search = new URLSearchParams(new FormData(form)).toString();
    try {
      const reply = await fetch(address, { signal: pending.signal });
      if (!reply.ok) return;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const answer = page.getElementById(id);
      if (!answer) return;
      document.getElementById(id).replaceChildren(...answer.childNodes);
      for (const input of page.querySelectorAll(`form[data-live="${id}"] input`)) {
        const mine = form.elements.namedItem(input.name);
        mine.setAttribute("aria-invalid", input.getAttribute("aria-invalid") ?? "false");
        const said = page.getElementById(input.id + "-help");
        if (said) document.getElementById(input.id + "-help")?.replaceWith(said);
      }
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name !== "AbortError") form.removeAttribute("data-live");
    }
  };

  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 250);
  });
}
