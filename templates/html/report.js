/* What the report's page does beyond being read: contents that follow, tables that sort and filter, values under the
   pointer, and for every number what stands behind it. Without it the page is complete; nothing here is fetched, and
   no text becomes markup. */
"use strict";

(() => {
  const ROWS_A_PAGE = 50;
  const ROWS_TO_FILTER = 8;
  const COLUMNS_TO_CHOOSE = 4;
  const NUMBER = '[data-result][role="button"]';
  const REACH = 14; // points from the pointer to a value it shows
  const SVG = "http://www.w3.org/2000/svg";

  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const read = (name) => JSON.parse(document.getElementById(`data:${name}`).textContent);
  const part = (name) => document.getElementById(`part:${name}`).content.firstElementChild.cloneNode(true);

  const texts = read("texts");
  const details = new Map(Object.entries(read("details")));
  const places = new Map(Object.entries(read("places")));
  const copies = new Map(Object.entries(read("copies")));
  const directions = new Map(Object.entries(read("directions")));
  /* Table element to the function that brings one of its rows into view. */
  const revealers = new WeakMap();
  /* Number in a table to the texts of its notes. */
  const notes = new WeakMap();

  const element = (name, text = "", className = "") => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const say = (text) => {
    one("#said").textContent = text;
  };

  /* ---- Colours: the system's, or the reader's choice, kept where the browser allows it. ---- */

  const remember = (scheme) => {
    try {
      localStorage.setItem("reportgen-scheme", scheme);
    } catch {
      // A page from disk may have no storage; then the choice lasts as long as the page.
    }
  };

  const remembered = () => {
    try {
      return localStorage.getItem("reportgen-scheme") ?? "";
    } catch {
      return "";
    }
  };

  const setScheme = (scheme) => {
    if (scheme === "light" || scheme === "dark") document.documentElement.dataset.scheme = scheme;
    else delete document.documentElement.dataset.scheme;
  };

  const offerScheme = () => {
    const choice = part("scheme");
    const select = one("select", choice);
    select.value = remembered();
    setScheme(select.value);
    select.addEventListener("change", () => {
      setScheme(select.value);
      remember(select.value);
    });
    one(".masthead").append(choice);
  };

  /* ---- Contents: the place of what is being read is marked. ---- */

  const followContents = () => {
    const contents = one("nav.contents");
    if (!contents) return;
    const links = new Map(all("a", contents).map((link) => [link.getAttribute("href").slice(1), link]));
    const headings = all("main :is(h2, h3, h4)[id]").filter((heading) => links.has(heading.id));
    let waiting = false;

    const mark = () => {
      waiting = false;
      const line = window.innerHeight / 4;
      const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
      const passed = headings.filter((heading) => heading.getBoundingClientRect().top < line);
      const current = (atEnd ? headings : passed).at(-1) ?? headings[0];
      const link = current && links.get(current.id);
      if (!link || link.hasAttribute("aria-current")) return;
      all("[aria-current]", contents).forEach((old) => old.removeAttribute("aria-current"));
      all("li.open", contents).forEach((item) => item.classList.remove("open"));
      link.setAttribute("aria-current", "location");
      for (let item = link.closest("li"); item; item = item.parentElement.closest("li")) item.classList.add("open");
      if (contents.scrollHeight > contents.clientHeight) {
        contents.scrollTop = link.offsetTop - contents.clientHeight / 2;
      }
    };

    const later = () => {
      if (!waiting) requestAnimationFrame(mark);
      waiting = true;
    };
    window.addEventListener("scroll", later, { passive: true });
    window.addEventListener("resize", later);
    mark();
  };

  /* ---- The supplement: what a link leads to is opened, and on paper everything is. ---- */

  const unfold = (target) => {
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };

  const prepareSupplement = () => {
    const folds = all(".supplement details");
    const follow = () => {
      const target = document.getElementById(location.hash.slice(1));
      if (!target?.closest(".supplement details")) return;
      unfold(target);
      target.scrollIntoView();
    };
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = folds.filter((fold) => !fold.open);
      for (const fold of opened) fold.open = true;
    });
    window.addEventListener("afterprint", () => {
      for (const fold of opened) fold.open = false;
      opened = [];
    });
    for (const fold of folds) fold.addEventListener("toggle", reachScrollers);
    // A link to the address that is there already changes no hash.
    one("main").addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#"]');
      if (link?.hash === location.hash) follow();
    });
    window.addEventListener("hashchange", follow);
    if (location.hash) follow();
  };

  /* ---- Numbers: each opens what stands behind it, by pointer, by key and by address. ---- */

  const addressOf = (result) => `#number=${encodeURIComponent(result)}`;
  const resultsOf = (shown) => shown.dataset.result.split(" ").filter((result) => details.has(result));

  const describe = (result) => {
    const [title, ...facts] = details.get(result).map((at) => texts[at]);
    facts.push("Result", result);
    const list = element("dl");
    for (let at = 0; at < facts.length; at += 2) {
      const row = element("div");
      row.append(element("dt", facts[at]), element("dd", facts[at + 1]));
      list.append(row);
    }
    const link = element("a", "Link to this number");
    link.href = location.href.replace(/#.*/s, "") + addressOf(result);
    const way = element("p", "", "link");
    way.append(link);
    return [element("h2", title), list, way];
  };

  const openDetails = (results, shown = null) => {
    const dialog = one("#details");
    const records = one(".records", dialog);
    records.replaceChildren(...results.flatMap(describe));
    for (const note of notes.get(shown) ?? []) {
      const row = element("div");
      row.append(element("dt", "Note of the table"), element("dd", note));
      one("dl", records).append(row);
    }
    one("h2", records).id = "details-title";
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };

  /* The notes of a number go with its details. As links so close to it they would be hard to hit. */
  const takeNotes = (shown) => {
    const marks = all(".note-mark a", shown.closest("td, th") ?? shown);
    notes.set(shown, marks.map((mark) => document.getElementById(mark.hash.slice(1)).textContent));
    marks.forEach((mark) => mark.replaceWith(mark.textContent));
  };

  const prepareDialog = () => {
    const dialog = one("#details");
    one(".close", dialog).addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      // The dialog fills its box with its content, so a click on itself is one on the page behind it.
      if (event.target === dialog) dialog.close();
    });
  };

  const openAddress = () => {
    const [, encoded] = location.hash.match(/^#number=(.+)$/) ?? [];
    if (!encoded) return;
    let result;
    try {
      result = decodeURIComponent(encoded);
    } catch {
      return; // not an address that this page gives
    }
    if (!details.has(result)) {
      say("The number that the address names is not in this report.");
      return;
    }
    all(".found").forEach((old) => old.classList.remove("found"));
    const shown = all("main [data-result]").find((span) => resultsOf(span).includes(result));
    if (shown) {
      unfold(shown);
      revealers.get(shown.closest("table"))?.(shown);
      shown.classList.add("found");
      shown.scrollIntoView({ block: "center" });
    }
    openDetails([result]);
  };

  /* One stop of the tab key for each table and paragraph; arrows lead on to its other numbers. */
  const focusOn = (shown, scope) => {
    all('[data-result][tabindex="0"]', scope).forEach((old) => old.setAttribute("tabindex", "-1"));
    shown.setAttribute("tabindex", "0");
    shown.focus();
  };

  const neighbour = (shown, key, scope) => {
    const row = shown.closest("tr");
    if (row && (key === "ArrowUp" || key === "ArrowDown")) {
      const column = [...row.cells].indexOf(shown.closest("td, th"));
      const rows = all("tbody tr", scope).filter((other) => other.offsetParent);
      for (let at = rows.indexOf(row), step = key === "ArrowUp" ? -1 : 1; rows[(at += step)]; ) {
        const found = rows[at].cells[column] && one(NUMBER, rows[at].cells[column]);
        if (found) return found;
      }
      return undefined;
    }
    const numbers = all(NUMBER, scope).filter((other) => other.offsetParent);
    const at = numbers.indexOf(shown);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: -1 }[key];
    return to === undefined || (to < 0 && key !== "End") ? undefined : numbers.at(to);
  };

  const prepareNumbers = () => {
    const scopes = new Set();
    for (const shown of all("main :is(.value, .shown)[data-result]")) {
      if (!resultsOf(shown).length) continue;
      takeNotes(shown);
      const scope = shown.closest("table, p, ul, ol, dl, caption, figcaption");
      shown.setAttribute("role", "button");
      shown.setAttribute("aria-haspopup", "dialog");
      shown.setAttribute("tabindex", scopes.has(scope) ? "-1" : "0");
      scopes.add(scope);
    }
    const main = one("main");
    main.addEventListener("click", (event) => {
      const shown = event.target.closest("[data-result]");
      if (!shown || !resultsOf(shown).length || String(getSelection())) return;
      openDetails(resultsOf(shown), one(".value", shown.closest("td, th") ?? shown));
    });
    main.addEventListener("keydown", (event) => {
      const shown = event.target.closest(NUMBER);
      if (!shown) return;
      if (event.key === "Enter" || event.key === " ") {
        openDetails(resultsOf(shown), shown);
      } else {
        const scope = shown.closest("table, p, ul, ol, dl, caption, figcaption");
        const next = neighbour(shown, event.key, scope);
        if (!next) return;
        focusOn(next, scope);
      }
      event.preventDefault();
    });
    window.addEventListener("hashchange", openAddress);
  };

  /* ---- Tables ---- */

  /* Each cell of the head with the first column it stands over. */
  const headCells = (table) => {
    const taken = [];
    const found = [];
    [...table.tHead.rows].forEach((row, line) => {
      let column = 0;
      for (const cell of row.cells) {
        while (taken[line]?.[column]) column += 1;
        found.push({ cell, column });
        for (let down = 0; down < cell.rowSpan; down += 1) {
          taken[line + down] ??= [];
          for (let right = 0; right < cell.colSpan; right += 1) taken[line + down][column + right] = true;
        }
        column += cell.colSpan;
      }
    });
    return found;
  };

  const dataRows = (body) => [...body.rows].filter((row) => !row.classList.contains("group-head"));

  /* A printed number as a number; a text as it is; an undefined value is neither. */
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const text = (one(".value", cell) ?? cell).textContent.trim();
    const pointed = document.documentElement.dataset.decimal === ","
      ? text.replaceAll("\u202f", "").replace(",", ".") : text.replaceAll(",", "");
    const number = pointed.replace("\u2212", "-").replace(/^[<>]/, "");
    return /^[-+]?\d*\.?\d+$/.test(number) ? Number(number) : text.replace("\u2014", "");
  };

  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, "en", { numeric: true });
  };

  /* The metric whose value a cell shows, if that has a better end; else nothing, as for p and standard deviations. */
  const metricOf = (row, column) => {
    if (!row.cells[column].classList.contains("role-estimate")) return "";
    const metric = one("[data-result]", row.cells[column])?.dataset.result.split("|")[0];
    return directions.has(metric) ? metric : "";
  };

  /* The rows of a body, the best first: upwards where less is better and where nothing is, within each metric. */
  const sorted = (rows, column, reversed) => {
    const places = new Map();
    for (const row of rows) {
      const metric = metricOf(row, column);
      if (metric && !places.has(metric)) places.set(metric, places.size);
    }
    return rows
      .map((row) => ({ row, key: keyOf(row, column), metric: metricOf(row, column) }))
      .sort((a, b) => {
        const apart = (places.get(a.metric) ?? places.size) - (places.get(b.metric) ?? places.size);
        if (apart) return apart;
        const falling = (directions.get(a.metric) === "higher") !== reversed;
        return (a.key === "" || b.key === "" || !falling ? 1 : -1) * compare(a.key, b.key);
      })
      .map(({ row }) => row);
  };

  /* What a click on a head would do: whether it can change anything, and the directions of the metrics in its column. */
  const sortingOf = (bodies, column) => {
    const better = new Set();
    let able = false;
    for (const rows of bodies) {
      const metrics = rows.map((row) => metricOf(row, column));
      metrics.forEach((metric) => better.add(directions.get(metric) ?? ""));
      able ||= new Set(metrics).size < rows.length;
    }
    return { able, better: better.size > 1 ? [...better].filter(Boolean) : [...better] };
  };

  /* What assistive technology is told of a sorted column, and a reader. */
  const orderOf = (better, reversed) => {
    if (better.length > 1) return ["other", reversed ? "worst first" : "best first"];
    const falling = (better[0] === "higher") !== reversed;
    const words = better[0] ? (reversed ? "worst first" : "best first") : falling ? "descending" : "ascending";
    return [falling ? "descending" : "ascending", words];
  };

  const offerSorting = (table, changed) => {
    const original = new Map([...table.tBodies].map((body) => [body, dataRows(body)]));
    originals.set(table, [...original.values()]);
    const heads = headCells(table).filter(({ cell }) => cell.scope === "col");
    let state = { cell: null, reversed: false };
    for (const { cell, column } of heads) {
      const { able, better } = sortingOf([...original.values()], column);
      if (!able) continue;
      const button = element("button", "", "sort");
      button.type = "button";
      button.append(...cell.childNodes);
      cell.append(button);
      // On paper a head is text: of a head that is repeated on each page, Chromium prints a button once.
      window.addEventListener("beforeprint", () => button.replaceWith(...button.childNodes));
      window.addEventListener("afterprint", () => {
        button.append(...cell.childNodes);
        cell.append(button);
      });
      button.addEventListener("click", () => {
        const again = state.cell === cell;
        state = again && state.reversed ? { cell: null, reversed: false } : { cell, reversed: again };
        heads.forEach((other) => other.cell.removeAttribute("aria-sort"));
        const [order, words] = orderOf(better, state.reversed);
        if (state.cell) cell.setAttribute("aria-sort", order);
        for (const [body, rows] of original) body.append(...(state.cell ? sorted(rows, column, state.reversed) : rows));
        changed();
        say(state.cell ? `Sorted by ${button.textContent.trim()}, ${words}.` : "In the report's own order.");
      });
    }
  };
  /* Table element to the rows of its bodies, in the report's own order. */
  const originals = new WeakMap();

  const showColumn = (table, column, visible) => {
    const hide = (cell) => cell?.classList.toggle("column-off", !visible);
    hide(one("colgroup", table)?.children[column]);
    for (const { cell, column: first } of headCellsOf.get(table)) {
      if (cell.scope !== "colgroup") {
        if (first === column) hide(cell);
      } else if (first <= column && column < first + Number(cell.dataset.span)) {
        const left = Number(cell.dataset.left) + (visible ? 1 : -1);
        cell.dataset.left = left;
        cell.colSpan = Math.max(left, 1);
        cell.classList.toggle("column-off", left === 0);
      }
    }
    for (const body of table.tBodies) dataRows(body).forEach((row) => hide(row.cells[column]));
  };
  /* Places in the head as they were before any column was hidden. */
  const headCellsOf = new WeakMap();

  const offerColumns = (table, tools) => {
    const heads = headCells(table);
    const wide = heads.filter(({ cell }) => cell.scope === "colgroup");
    for (const { cell } of wide) cell.dataset.span = cell.dataset.left = cell.colSpan;
    headCellsOf.set(table, heads);
    const names = heads.filter(({ cell, column }) => cell.scope === "col" && column > 0);
    const choices = one(".columns", tools);
    if (names.length < COLUMNS_TO_CHOOSE) {
      choices.remove();
      return () => undefined;
    }
    const boxes = names
      .toSorted((a, b) => a.column - b.column)
      .map(({ cell, column }) => {
        const over = wide.find((head) => head.column <= column && column < head.column + Number(head.cell.dataset.span));
        const box = element("input");
        box.type = "checkbox";
        box.checked = true;
        box.addEventListener("change", () => showColumn(table, column, box.checked));
        const label = element("label");
        const name = `${over ? `${over.cell.textContent.trim()}: ` : ""}${cell.textContent.trim()}`;
        label.append(box, element("span", name));
        one(".choices", choices).append(label);
        return box;
      });
    choices.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !choices.open) return;
      choices.open = false;
      one("summary", choices).focus();
    });
    document.addEventListener("click", (event) => {
      if (!choices.contains(event.target)) choices.open = false;
    });
    return () => boxes.filter((box) => !box.checked).forEach((box) => box.click());
  };

  /* Rows that fit the filter, a page at a time where they are many. */
  const offerRows = (table, tools, name) => {
    const filter = one(".filter", tools);
    const input = one("input", filter);
    const pages = part("pages");
    const rows = () => [...table.tBodies].flatMap(dataRows);
    const total = rows().length;
    let page = 0;

    const show = () => {
      const wanted = input.value.trim().toLowerCase();
      const fits = (row) => {
        const head = one(".group-head", row.parentElement)?.textContent ?? "";
        return `${head} ${row.textContent}`.toLowerCase().includes(wanted);
      };
      const kept = rows().filter((row) => {
        const keep = !wanted || fits(row);
        row.classList.toggle("filtered", !keep);
        return keep;
      });
      const many = kept.length > ROWS_A_PAGE;
      page = Math.min(page, Math.max(0, Math.ceil(kept.length / ROWS_A_PAGE) - 1));
      const first = many ? page * ROWS_A_PAGE : 0;
      const last = many ? Math.min(first + ROWS_A_PAGE, kept.length) : kept.length;
      // Not put away: the browser finds their text, and says so before it shows it.
      kept.forEach((row, at) => { row.hidden = at < first || at >= last ? "until-found" : false; });
      for (const body of table.tBodies) {
        const head = one(".group-head", body);
        const here = dataRows(body);
        head?.classList.toggle("filtered", here.every((row) => row.classList.contains("filtered")));
        if (head) head.hidden = here.every((row) => row.matches(".filtered, [hidden]")) ? "until-found" : false;
      }
      pages.hidden = !many;
      one(".range", pages).textContent = `Rows ${first + 1} to ${last} of ${kept.length}`;
      one(".before", pages).disabled = first === 0;
      one(".after", pages).disabled = last === kept.length;
      return kept;
    };

    input.addEventListener("input", () => {
      page = 0;
      say(`${show().length} of ${total} rows of ${name} fit.`);
    });
    const turn = (step) => {
      page += step;
      show();
      say(one(".range", pages).textContent);
    };
    one(".before", pages).addEventListener("click", () => turn(-1));
    one(".after", pages).addEventListener("click", () => turn(1));
    pages.setAttribute("aria-label", `Pages of ${name}`);
    table.closest(".table-scroll").after(pages);
    if (total < ROWS_TO_FILTER) filter.remove();
    show();

    const reveal = (shown) => {
      const row = shown.closest("tbody tr");
      if (!row) return;
      if (row.classList.contains("filtered")) input.value = "";
      const kept = show();
      const at = kept.indexOf(row);
      // The head of a group is where the first of its rows is.
      const place = at < 0 ? kept.findIndex((one) => one.parentElement === row.parentElement) : at;
      page = Math.max(0, Math.floor(place / ROWS_A_PAGE));
      show();
    };
    // Later: the browser opens no fold around a row that is shown before it has done so itself.
    table.addEventListener("beforematch", ({ target }) => requestAnimationFrame(() => {
      reveal(target);
      target.scrollIntoView({ block: "center" });
    }));
    return { show, reveal };
  };

  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without leave to use the clipboard, the older way still works from a click.
      const area = element("textarea");
      area.value = text;
      area.className = "unseen";
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      if (!done) throw new Error("the browser refuses");
    }
  };

  /* What is seen of a table: its columns, and its rows by the place of their group; of long ones all pages. */
  const seen = (table) => {
    const columns = [];
    for (const { cell, column } of headCellsOf.get(table)) {
      if (cell.scope !== "colgroup" && !cell.classList.contains("column-off")) columns.push(column);
    }
    columns.sort((a, b) => a - b);
    const groups = [...table.tBodies].map((body, at) => {
      const own = originals.get(table)[at];
      return dataRows(body).filter((row) => !row.classList.contains("filtered")).map((row) => own.indexOf(row));
    });
    const whole = originals.get(table).every((own, at) => own.every((_, place) => groups[at][place] === place));
    return { columns, groups, whole: whole && !one(".column-off", table) };
  };

  /* The pieces of a table in a format, put together for what is seen of it. */
  const put = {
    md: ({ before, heads, rules, groups, after }, { columns, groups: shown }) => {
      const line = (cells) => `| ${cells.join(" | ")} |\n`;
      const of = (cells) => line(columns.map((column) => cells[column]));
      const body = groups.map(([head, rows], at) => (!shown[at].length ? "" :
        (head ? line([head, ...columns.slice(1).map(() => "")]) : "") + shown[at].map((row) => of(rows[row])).join("")));
      return before + of(heads) + of(rules) + body.join("") + after;
    },
    csv: ({ heads, groups }, { columns, groups: shown }) => {
      const grouped = groups.some(([head]) => head);
      const line = (first, cells) =>
        `${[...(grouped ? [first] : []), ...columns.map((column) => cells[column])].join(",")}\n`;
      const body = groups.map(([head, rows], at) => shown[at].map((row) => line(head, rows[row])).join(""));
      return line("group", heads) + body.join("");
    },
    latex: ({ before, heads, rules, groups, after, widths, spanners }, { columns, groups: shown }) => {
      const wide = (some) => some.reduce((n, column) => n + widths[column], 0);
      const guarded = (text) => (/^[[*]/.test(text) ? `{}${text}` : text);
      const line = (cells) => `${guarded(cells.join(" & "))} \\\\\n`;
      const of = (cells) => line(columns.map((column) => cells[column]));
      const over = [];
      const under = [];
      for (let at = 0, place = 1; at < columns.length; ) {
        const [text, first, last] = spanners.find(([, from, to]) => from <= columns[at] && columns[at] <= to) ??
          ["", columns[at], columns[at]];
        const covered = columns.filter((column) => first <= column && column <= last);
        const width = wide(covered);
        over.push(text ? `\\multicolumn{${width}}{c}{${text}}` : " &".repeat(width - 1));
        if (text) under.push(`\\cmidrule(lr){${place}-${place + width - 1}}`);
        at += covered.length;
        place += width;
      }
      const body = groups
        .map(([head, rows], at) => [head, shown[at].map((row) => of(rows[row]))])
        .filter(([, rows]) => rows.length)
        .map(([head, rows]) =>
          (head ? `\\multicolumn{${wide(columns)}}{@{}l@{}}{${head}}\\\\*\n` : "") + rows.join(""));
      return [
        before,
        `\\begin{tabular}{@{}${columns.map((column) => rules[column]).join(" ")}@{}}\n\\toprule\n`,
        spanners.length ? `${line(over)}${under.join("")}\n` : "",
        of(heads),
        "\\midrule\n",
        body.join("\\addlinespace\n"),
        "\\bottomrule\n\\end{tabular}\n",
        after,
      ].join("");
    },
  };

  const copyOf = (id, format, view) => {
    const pieces = copies.get(id);
    return format === "latex" && view.whole ? pieces.whole : put[format](pieces[format], view);
  };

  const offerCopies = (table, id, tools, name) => {
    for (const button of all("[data-format]", tools)) {
      button.addEventListener("click", async () => {
        const view = seen(table);
        try {
          await copyText(copyOf(id, button.dataset.format, view));
          say(`${name} is copied as ${button.textContent}${view.whole ? "" : ", as it is shown"}.`);
          button.classList.add("done");
          setTimeout(() => button.classList.remove("done"), 1500);
        } catch {
          say("The browser does not let this page copy.");
        }
        button.focus();
      });
    }
  };

  const prepareTable = (figure) => {
    const table = one("table", figure);
    const name = one(".table-number", figure)?.textContent.replace(".", "") ?? "the table";
    const tools = part("tools");
    tools.setAttribute("aria-label", `Tools for ${name}`);
    const showAllColumns = offerColumns(table, tools);
    const { show, reveal } = offerRows(table, tools, name);
    offerSorting(table, show);
    offerCopies(table, figure.id.slice("tab:".length), tools, name);
    revealers.set(table, (shown) => {
      showAllColumns();
      reveal(shown);
    });
    figure.prepend(tools);
  };

  /* ---- Figures: the value nearest to the pointer, or by arrow keys one after the other. ---- */

  const prepareFigure = (figure, found) => {
    const frame = one(".picture", figure);
    const picture = one("svg", frame);
    const tip = one("#tip");
    const ring = document.createElementNS(SVG, "circle");
    ring.setAttribute("class", "ring");
    ring.setAttribute("r", "5");
    let current = -1;

    const hide = () => {
      tip.hidden = true;
      ring.remove();
      current = -1;
    };

    /* Beside its value, wherever that is by now. */
    const moveTip = () => {
      if (current < 0) return;
      const [x, y] = found[current];
      const box = picture.getBoundingClientRect();
      const scale = box.width / picture.viewBox.baseVal.width;
      const left = box.left + x * scale - tip.offsetWidth / 2;
      const above = box.top + y * scale - tip.offsetHeight - 12;
      tip.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - tip.offsetWidth - 8))}px`;
      tip.style.top = `${above > 4 ? above : box.top + y * scale + 14}px`;
    };

    const show = (at) => {
      if (at === current) return;
      current = at;
      const [x, y, text, result] = found[at];
      const record = details.get(texts[result]);
      // The printed form where the value is one of the results, else the plotted data.
      tip.textContent = record ? `${texts[record[0]]}: ${texts[record[2]]}` : texts[text];
      ring.setAttribute("cx", x);
      ring.setAttribute("cy", y);
      picture.append(ring);
      tip.hidden = false;
      moveTip();
    };

    const nearest = (event) => {
      const box = picture.getBoundingClientRect();
      const scale = picture.viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      let best = -1;
      let least = REACH;
      found.forEach((place, at) => {
        // A bar is as near as its edge, and at its middle.
        const [across, down] = [0, 1].map((axis) =>
          Math.max(0, Math.abs(place[axis] - (axis ? y : x)) - (place[4 + axis] ?? 0) / 2));
        const distance = Math.hypot(across, down);
        if (distance < least) [best, least] = [at, distance];
      });
      return best;
    };

    const open = () => {
      const result = current >= 0 && texts[found[current][3]];
      if (details.has(result)) openDetails([result]);
    };

    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", `${one(".label", figure).textContent} Arrow keys step through its values.`);
    const follow = (event) => {
      const at = nearest(event);
      if (at < 0) hide();
      else show(at);
    };
    picture.addEventListener("pointermove", follow);
    picture.addEventListener("pointerdown", follow);
    picture.addEventListener("pointerleave", hide);
    picture.addEventListener("click", open);
    frame.addEventListener("blur", hide);
    // The focus itself scrolls, and the event of it may come after the first key; so scrolling hides nothing.
    // Captured, since a wide picture scrolls in its frame.
    window.addEventListener("scroll", moveTip, { passive: true, capture: true });
    frame.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) show((Math.max(current, step < 0 ? 0 : -1) + step + found.length) % found.length);
      else if (event.key === "Escape") hide();
      else if (event.key === "Enter") open();
      else return;
      event.preventDefault();
    });
  };

  /* ---- Systems: one of them highlighted in all figures, the others faint. ---- */

  const offerSystems = () => {
    let alone = "";
    const parts = all("main .picture [data-system]");
    const buttons = [];

    const choose = (system) => {
      alone = system === alone ? "" : system;
      for (const part of parts) part.classList.toggle("faint", alone !== "" && part.dataset.system !== alone);
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === alone));
      say(alone ? `Figures highlight ${alone}.` : "Figures show all systems alike.");
    };

    for (const figure of all("main figure.figure")) {
      const systems = new Set(all("[data-system]", figure).map((shown) => shown.dataset.system));
      if (systems.size < 2) continue;
      const bar = part("systems");
      bar.setAttribute("aria-label", `Systems of ${one(".label", figure).textContent.replace(".", "")}`);
      for (const system of systems) {
        const button = element("button", system);
        button.type = "button";
        button.setAttribute("aria-pressed", "false");
        button.addEventListener("click", () => choose(system));
        buttons.push(button);
        bar.append(button);
      }
      bar.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && alone) choose(alone);
      });
      one(".picture", figure).after(bar);
      // A name in the picture does the same for the pointer; by key there are the buttons.
      for (const name of all("text", figure)) {
        if (!systems.has(name.textContent)) continue;
        name.classList.add("name");
        name.addEventListener("click", (event) => {
          event.stopPropagation();
          choose(name.textContent);
        });
      }
    }
  };

  /* What is wider than its place scrolls, and so has to be reached by key. */
  const reachScrollers = () => {
    for (const box of all("main :is(.display, .picture)")) {
      if (box.tabIndex === 0 || box.scrollWidth <= box.clientWidth) continue;
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.classList.contains("picture") ? "Figure, scrolls" : "Formula, scrolls");
    }
  };

  offerScheme();
  followContents();
  prepareDialog();
  all("figure.table[id]").forEach(prepareTable);
  prepareNumbers();
  offerSystems();
  for (const [id, found] of places) prepareFigure(document.getElementById(`fig:${id}`), found);
  reachScrollers();
  prepareSupplement();
  window.addEventListener("resize", reachScrollers);
  document.documentElement.dataset.ready = "";
  openAddress();
})();
