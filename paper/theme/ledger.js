// Search and filter of the ledger. Without this script every claim stays in sight and the form hidden.
(() => {
  const form = document.querySelector(".filter");
  const fields = ["text", "verdict", "article"].map((name) => form.querySelector(`[name="${name}"]`));
  const rows = [...document.querySelectorAll("tr[data-claim]")].map((row) => ({ row, text: row.textContent.toLocaleLowerCase(), article: row.closest("section").id }));
  const fold = (text) => text.normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "");
  for (const one of rows) one.text = fold(one.text);
  const show = () => {
    const [text, verdict, article] = fields.map((field) => field.value);
    const words = fold(text.toLocaleLowerCase()).split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text: all, article: its } of rows) {
      row.hidden = !(words.every((word) => all.includes(word)) && (verdict === "" || row.dataset.verdict === verdict) && (article === "" || its === article));
      if (!row.hidden) shown++;
    }
    for (const section of document.querySelectorAll("section.claims")) section.hidden = section.querySelector("tr[data-claim]:not([hidden])") === null;
    form.querySelector("output").textContent = form.dataset.shown.replace("{shown}", shown).replace("{all}", rows.length);
    const query = new URLSearchParams(fields.filter(({ value }) => value !== "").map(({ name, value }) => [name, value])).toString();
    history.replaceState(null, "", query === "" ? location.pathname + location.hash : `?${query}${location.hash}`);
  };
  for (const field of fields) field.value = new URLSearchParams(location.search).get(field.name) ?? "";
  form.hidden = false;
  form.addEventListener("input", show);
  show();
})();
