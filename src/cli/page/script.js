// Adds to a page that is whole without it: values under the pointer, sorting, hiding of series, choosing of members.
(function () {
  "use strict";
  const make = (name, attributes, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const short = (number) => (number === 0 ? "0" : Number(number.toPrecision(4)).toString());

  // Sorting: a button in each heading. Rows that are equal keep their order.
  for (const heading of all("table thead th")) {
    const table = heading.closest("table");
    const button = make("button", { type: "button" }, heading.textContent);
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const column = Array.from(heading.parentNode.children).indexOf(heading);
      const rising = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const numbers = heading.classList.contains("number");
      const value = (row) => {
        const cell = row.children[column];
        const text = cell.dataset.v || cell.textContent;
        return numbers ? parseFloat(text) : text;
      };
      const compare = (a, b) => {
        if (!numbers) return a.localeCompare(b);
        // What is no number stands last, whatever the direction.
        if (Number.isNaN(a) || Number.isNaN(b)) return (Number.isNaN(a) - Number.isNaN(b)) * (rising ? 1 : -1);
        return a - b;
      };
      const rows = Array.from(table.tBodies[0].rows);
      rows.sort((a, b) => compare(value(a), value(b)) * (rising ? 1 : -1));
      table.tBodies[0].append(...rows);
    });
  }

  // Hiding: the names of a legend become buttons. A run is hidden in every figure that compares runs.
  for (const entry of all(".legend li")) {
    const figure = entry.closest("figure");
    const number = entry.dataset.s;
    const button = make("button", { type: "button", "aria-pressed": "true" }, ...entry.childNodes);
    entry.append(button);
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      const figures = figure.hasAttribute("data-runs") ? all("figure[data-runs]") : [figure];
      for (const one of figures) {
        for (const element of all(`svg:not(.sample) [data-s="${number}"]`, one)) element.classList.toggle("hidden", !shown);
        for (const other of all(`.legend li[data-s="${number}"] button`, one)) other.setAttribute("aria-pressed", shown);
      }
    });
  }

  // Values under the pointer: the nearest point that is drawn, its pixels turned back into numbers.
  const bubble = make("div", { class: "pointer", role: "status" });
  bubble.hidden = true;
  document.body.append(bubble);
  const axis = (text) => {
    const [scale, low, high, from, to] = text.split(" ");
    return (pixel) => {
      const at = +low + ((pixel - from) / (to - from)) * (high - low);
      return scale === "log" ? Math.pow(10, at) : at;
    };
  };
  const points = (path) =>
    path.getAttribute("d").split(/[ML]/).filter(Boolean).map((pair) => pair.split(",").map(Number));
  for (const drawing of all("figure.lines > svg, figure.points > svg")) {
    const [x, y] = [axis(drawing.dataset.x), axis(drawing.dataset.y)];
    const names = {};
    for (const entry of all(".legend li", drawing.parentNode)) names[entry.dataset.s] = entry.textContent;
    const labels = all(".end-name title", drawing);
    let series = null;
    drawing.addEventListener("pointermove", (event) => {
      series = series || all("g.series", drawing).map((group) => {
        const line = group.querySelector(".line");
        const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
        return { group, points: line ? points(line) : all(".dot", group).map((dot) => middle(dot.getBBox())) };
      });
      const box = drawing.getBoundingClientRect();
      const scale = drawing.viewBox.baseVal.width / box.width;
      const [px, py] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      let best = null;
      for (const { group, points } of series) {
        if (group.classList.contains("hidden")) continue;
        for (const [ax, ay] of points) {
          const distance = Math.hypot(ax - px, ay - py);
          if (!best || distance < best.distance) best = { distance, ax, ay, number: +group.dataset.s };
        }
      }
      bubble.hidden = !best || best.distance > 40;
      if (bubble.hidden) return;
      const label = labels.find((title) => +title.parentNode.dataset.s === best.number);
      const name = names[best.number] || (label ? label.textContent : "");
      bubble.textContent = `${name ? name + ": " : ""}${short(x(best.ax))}, ${short(y(best.ay))}`;
      bubble.style.left = Math.min(event.clientX + 12, innerWidth - bubble.offsetWidth - 4) + "px";
      bubble.style.top = event.clientY + 14 + "px";
    });
    drawing.addEventListener("pointerleave", () => { bubble.hidden = true; });
  }

  // Members of a map: a chosen one shows its items by relevance, and its examples.
  for (const figure of all("figure.map")) {
    const numbers = JSON.parse(figure.querySelector("script.numbers").textContent);
    const panel = figure.querySelector(".panel");
    const circles = all(".member", figure);
    const slider = make("input", { type: "range", min: "0", max: "1", step: "0.1", value: "0.6" });
    const heading = make("h4", { "aria-live": "polite" });
    const value = make("output");
    const items = make("ol", { class: "items" });
    const examples = make("p", { class: "note" });
    const say = make("p", { class: "note" },
      `Bars: share of a ${numbers.item} in the ${numbers.member}, before its share in everything (pale), to the largest share.`);
    const label = make("label", null, `only what is special: 0, only what is frequent: 1`, slider, value);
    panel.append(heading, label, items, say, examples);
    let chosen = -1;
    const draw = () => {
      const member = numbers.members[chosen];
      const weight = +slider.value;
      value.textContent = weight.toFixed(1);
      const rows = member.contains.map(([item, share]) => {
        const overall = numbers.overall[item];
        return { item, share, overall, relevance: Math.log(share) - (1 - weight) * Math.log(overall) };
      });
      rows.sort((a, b) => b.relevance - a.relevance || a.item - b.item);
      const shown = rows.slice(0, 20);
      const most = Math.max(...shown.map((row) => Math.max(row.share, row.overall)));
      const bar = (share) => {
        const element = make("b");
        element.style.width = (100 * share) / most + "%";
        return element;
      };
      items.replaceChildren(...shown.map((row) =>
        make("li", null, make("span", { title: numbers.items[row.item] }, numbers.items[row.item]),
          make("i", null, bar(row.overall), bar(row.share)), make("small", null, short(100 * row.share) + " %"))));
      heading.textContent = `${numbers.member} ${member.name}, ${(100 * member.share).toFixed(1)} % of all`;
      examples.textContent = (member.examples || []).length
        ? `${numbers.example}s: ` + member.examples.map(([name, share]) => `${name} (${(100 * share).toFixed(0)} %)`).join(", ")
        : "";
    };
    const choose = (number) => {
      chosen = number;
      panel.hidden = false;
      for (const circle of circles) {
        const is = +circle.dataset.member === number;
        circle.classList.toggle("chosen", is);
        circle.setAttribute("aria-pressed", is);
        circle.setAttribute("tabindex", is ? "0" : "-1");
      }
      draw();
    };
    for (const circle of circles) {
      circle.setAttribute("role", "button");
      circle.setAttribute("tabindex", "-1");
      circle.setAttribute("aria-label", circle.querySelector("title").textContent);
      circle.addEventListener("click", () => choose(+circle.dataset.member));
      circle.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (event.key === "Enter" || event.key === " ") choose(+circle.dataset.member);
        else if (step) {
          const count = numbers.members.length;
          const next = (+circle.dataset.member + step + count) % count;
          const other = circles.find((one) => +one.dataset.member === next);
          if (other) { choose(next); other.focus(); }
        } else return;
        event.preventDefault();
      });
    }
    slider.addEventListener("input", draw);
    slider.setAttribute("aria-label", "weight of frequency in relevance");
    if (numbers.members.length) choose(0);
  }
})();
