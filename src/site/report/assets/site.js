// The one script of the site: it opens what an address points into, puts the figures of the night in place, filters tables, and
// makes the directory live.
//
// No framework, no request: rows come as scripts beside the page, because a page from a file may load nothing else. Text is only ever
// put down as text. All of what is asked for stands in the address, so that a view can be kept and sent.
'use strict';

// ---- What an address points into is shown, also inside something that is closed.
function reveal() {
  const id = decodeURIComponent(location.hash.slice(1));
  const aim = id && document.getElementById(id);
  if (!aim) return;
  for (let at = aim; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  aim.scrollIntoView({ block: 'start' });
  if (aim.tabIndex === -1) aim.focus({ preventScroll: true });
}

// ---- What every night changes stands in files beside the pages, so that a page changes only with what it is about.
const root = document.currentScript.getAttribute('src').replace(/site\.js$/, '');
const nightly = new Map([...document.querySelectorAll('[data-night]')].map((place) => [place.dataset.night, place]));

function load(path, failed = () => {}) {
  const script = element('script', { src: root + path });
  script.addEventListener('error', failed);
  document.head.append(script);
}

const count = (number) => number.toLocaleString('en');
let night = null;
// What the files call; until then, and without them, the words of the page stand.
window.capdexNight = (figures) => {
  night = figures;
  nightly.get('as_of')?.replaceChildren(element('time', { dateTime: night.as_of, textContent: night.as_of }));
  const found = nightly.get('found'), rank = nightly.get('rank');
  if (found) found.textContent = ((of) => `${count(of)} ${of === 1 ? 'capability' : 'capabilities'}`)(night.found[found.dataset.rule] ?? 0);
  if (rank) load(`data/ranks-${rank.dataset.id.slice(0, night.digits)}.js`);
};
window.capdexRanks = (ranks) => {
  const [rank, kind, trust] = ranks[nightly.get('rank')?.dataset.id] ?? [];
  if (rank === undefined) return;
  const put = (name, text) => { const place = nightly.get(name); place.textContent = text; place.parentElement.hidden = false; };
  put('rank', `${count(rank)} of ${count(night.ranked)}`);
  put('rank_kind', count(kind));
  if (trust !== null) put('trust', `${trust} of 100`);
};

// ---- A table that can be filtered: by any text, and by the words of the columns that say so.
function filtered(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 2) return;
  const search = element('input', { type: 'search', autocomplete: 'off', spellcheck: false });
  const controls = element('div', { className: 'controls', role: 'search' }, element('label', { className: 'grow' }, 'Search', search));
  controls.setAttribute('aria-label', `Filter the ${table.dataset.filter}`);
  const told = element('p', { className: 'found', role: 'status' });
  const choices = [...table.tHead.rows[0].cells].filter((cell) => cell.dataset.choice).map((cell) => {
    const text = (row) => row.cells[cell.cellIndex].textContent.trim();
    const words = [...new Set(rows.map(text))];
    const select = element('select', {}, element('option', { value: '', textContent: 'all' }), ...words.map((word) => element('option', { value: word, textContent: word })));
    controls.append(element('label', {}, cell.dataset.choice[0].toUpperCase() + cell.dataset.choice.slice(1), select));
    return [select, text];
  });
  const choose = () => {
    const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !(words.every((word) => text.includes(word)) && choices.every(([select, of]) => !select.value || of(row) === select.value));
      if (!row.hidden) shown += 1;
    }
    told.textContent = shown === rows.length ? `${count(shown)} ${table.dataset.filter}` : `${count(shown)} of ${count(rows.length)} ${table.dataset.filter}`;
  };
  search.addEventListener('input', choose);
  for (const [select] of choices) select.addEventListener('change', choose);
  choose();
  (table.closest('.wide') ?? table).before(controls, told);
}

// ---- Packages come first: their name is what most who search have. Their list is loaded with the first letter that is typed.
// A row is [page, name, version, band, capabilities].
const PAGE = 0, PACKAGE_NAME = 1, VERSION = 2, PACKAGE_BAND = 3, HELD = 4;
const MOST_PACKAGES = 5;
class Packages {
  constructor(files, bands) {
    this.files = files;
    this.bands = bands;
    this.rows = [];
    this.loaded = 0;
    this.isBegun = false;
    this.asked = '';
    this.fitting = [];
    this.told = element('p', { className: 'note', role: 'status' });
    this.list = element('ul', { className: 'list' });
    this.place = element('div', { className: 'packages', hidden: true }, this.told, this.list);
  }

  load(number) {
    if (number < this.files) load(`data/packages-${number}.js`, () => { this.told.textContent = 'The list of packages could not be loaded.'; });
  }

  take(number, rows) {
    for (const row of rows) this.rows.push([...row, row[PACKAGE_NAME].toLowerCase()]);
    this.loaded = number + 1;
    this.show(this.asked);
    this.load(number + 1);
  }

  // Whoever types a whole name means that one, then come names that begin so.
  find(asked) {
    const words = asked.split(/\s+/), found = [];
    for (const row of this.rows) {
      const text = row.at(-1);
      if (!words.every((word) => text.includes(word))) continue;
      const bare = text.slice(text.indexOf(':') + 1), last = bare.slice(bare.lastIndexOf('/') + 1);
      const fits = text === asked || bare === asked ? 0 : last === asked ? 1 : bare.startsWith(asked) || last.startsWith(asked) ? 2 : 3;
      found.push([fits, text.length, row]);
    }
    return found.sort((one, other) => one[0] - other[0] || one[1] - other[1] || (one[2].at(-1) < other[2].at(-1) ? -1 : 1));
  }

  show(text) {
    this.asked = text.trim().toLowerCase();
    if (this.asked && !this.isBegun) { this.isBegun = true; this.load(0); }
    this.fitting = this.asked ? this.find(this.asked) : [];
    this.place.hidden = !this.asked;
    const found = this.fitting.length === 1 ? '1 package' : `${count(this.fitting.length)} packages`;
    this.told.textContent = this.fitting.length > 0 ? found : this.loaded < this.files ? '' : 'No package has such a name.';
    this.list.replaceChildren(...this.fitting.slice(0, MOST_PACKAGES).map(([, , row]) => this.line(row)));
  }

  line(row) {
    const band = this.bands[row[PACKAGE_BAND]], held = row[HELD] === 1 ? '1 verdict' : `${count(row[HELD])} verdicts`;
    return element('li', {}, element('span', { className: `mark band-${band}`, textContent: band }), ' ', element('a', { href: this.page(row) }, element('bdi', { textContent: row[PACKAGE_NAME] })),
      element('span', { className: 'under' }, ...(row[VERSION] ? [element('bdi', { textContent: row[VERSION] }), ' · '] : []), held));
  }

  page(row) { return `p/${row[PAGE].slice(0, 2)}/${row[PAGE]}.html`; }

  // The page of the package whose whole name is asked for; none for any other text.
  meant() { return this.fitting.length > 0 && this.fitting[0][0] === 0 ? this.page(this.fitting[0][2]) : null; }
}
let packages = null;
window.capdexPackages = (number, rows) => packages?.take(number, rows);

// ---- The search of the first page: packages at once, everything in the directory.
function finder(place) {
  const told = JSON.parse(place.dataset.told);
  packages = new Packages(told.packages, told.bands);
  const search = element('input', { type: 'search', autocomplete: 'off', spellcheck: false, placeholder: 'a package, a skill, a server' });
  const all = () => `directory.html#q=${encodeURIComponent(search.value.trim())}`;
  const button = element('button', { type: 'button', textContent: 'Search' });
  const controls = element('div', { className: 'controls', role: 'search' }, element('label', { className: 'grow' }, 'Find a package or a capability', search), button);
  button.addEventListener('click', () => { location.href = all(); });
  search.addEventListener('input', () => packages.show(search.value));
  search.addEventListener('keydown', (event) => { if (event.key === 'Enter') location.href = packages.meant() ?? all(); });
  place.append(controls, packages.place);
}

// ---- The directory.
// A row is [id, name, package, path, kind, band, source, differ, [critical, high, medium, low], [value of each rubric], mark].
const ID = 0, NAME = 1, PACKAGE = 2, PATH = 3, KIND = 4, BAND = 5, SOURCE = 6, DIFFER = 7, FOUND = 8, VALUES = 9, MARK = 10;
const SEVERITIES = ['critical', 'high', 'medium', 'low'];
// The rest of a package that no capability claims is a row as well; one that has nothing to say is shown when it is asked for.
const REST = 'package', EVERY = 'every';

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== 'scope') made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

class Directory {
  constructor(place) {
    this.place = place;
    this.told = JSON.parse(place.dataset.told);
    this.rows = [];
    this.texts = [];
    this.shown = [];
    this.holders = new Map();
    this.active = 0;
    this.columns = this.orders();
    this.build();
    this.read();
    this.load(0);
  }

  // How rows can be ordered: [key, name in the head, column class, value of a row, whether the greatest comes first].
  orders() {
    const orders = [['rank', '#', 'num', (row, at) => at, false], ['name', 'capability', 'c-name', null, false]];
    this.told.rubrics.forEach((rubric, at) => {
      const name = rubric.seed ? rubric.id.split('/')[0] : rubric.id;
      orders.push([rubric.id, name, rubric.column ? 'num c-value' : null, (row) => row[VALUES][at] ?? -Infinity, true]);
    });
    orders.push(['differ', 'differ', 'num c-differ', (row) => row[DIFFER] ?? -1, true]);
    orders.push(['findings', 'findings', 'c-found', (row) => row[FOUND].reduce((sum, count) => sum * 1e4 + Math.min(count, 9999), 0), true]);
    return orders;
  }

  build() {
    const choice = (name, words) => element('select', { name, id: `f-${name}` },
      element('option', { value: '', textContent: 'all' }), ...words.map((word) => element('option', { value: word, textContent: word })));
    const label = (text, control, grow) => element('label', { className: grow ? 'grow' : '' }, text, control);
    this.search = element('input', { type: 'search', name: 'q', id: 'f-q', autocomplete: 'off', spellcheck: false, placeholder: 'name, package, path, slug' });
    this.kind = choice('kind', this.told.kinds);
    this.kind.append(element('option', { value: EVERY, textContent: 'all, and empty rests' }));
    this.band = choice('band', this.told.bands);
    this.source = choice('source', this.told.sources);
    this.rule = choice('rule', this.told.rules);
    this.order = element('select', { name: 'sort', id: 'f-sort' }, ...this.columns.map(([key, name]) => element('option', { value: key, textContent: key === 'rank' ? 'rank' : name })));
    this.turned = element('button', { type: 'button', textContent: 'Reverse order', ariaPressed: 'false' });
    const clear = element('button', { type: 'button', textContent: 'Clear' });
    const controls = element('div', { className: 'controls', role: 'search' }, label('Search', this.search, true), label('Kind', this.kind), label('Band', this.band), label('Source', this.source), label('Rule', this.rule), label('Sort by', this.order), this.turned, clear);
    controls.setAttribute('aria-label', 'Filter the directory');
    this.found = element('p', { className: 'found', role: 'status' });
    this.found.setAttribute('aria-live', 'polite');
    this.table = element('table', { className: 'directory' });
    this.table.setAttribute('aria-label', 'Capabilities');
    this.body = element('tbody');
    this.table.append(element('thead', {}, this.head()), this.body);
    this.window = element('div', { className: 'window', tabIndex: 0 }, this.table);
    this.window.setAttribute('role', 'region');
    this.window.setAttribute('aria-label', 'Directory; arrow keys move from row to row');
    this.nothing = element('p', { className: 'note', textContent: 'Nothing fits all of these filters. “Clear” shows everything again.' });
    this.nothing.hidden = true;
    packages = new Packages(this.told.packages, this.told.bands);
    this.place.append(controls, packages.place, this.found, this.nothing, this.window);
    this.place.hidden = false;
    const plain = document.getElementById('plain');
    if (plain) plain.hidden = true;
    let waiting = 0;
    this.search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(() => this.changed(), 60); });
    for (const control of [this.kind, this.band, this.source, this.rule]) control.addEventListener('change', () => this.changed());
    this.order.addEventListener('change', () => { this.turned.ariaPressed = 'false'; this.changed(); });
    this.turned.addEventListener('click', () => { this.turned.ariaPressed = String(this.turned.ariaPressed !== 'true'); this.changed(); });
    clear.addEventListener('click', () => { this.search.value = this.kind.value = this.band.value = this.source.value = this.rule.value = ''; this.order.value = 'rank'; this.turned.ariaPressed = 'false'; this.changed(); this.search.focus(); });
    this.window.addEventListener('scroll', () => this.draw(), { passive: true });
    addEventListener('resize', () => { this.height = 0; this.drawn = null; this.draw(); });
    // A part of the page, as the way to the content, is no choice: what was chosen or is being typed stays.
    addEventListener('hashchange', () => { if (!document.getElementById(location.hash.slice(1))) this.read(); });
    addEventListener('keydown', (event) => this.key(event));
  }

  head() {
    const row = element('tr');
    const cell = (order) => {
      const [key, name, style] = order;
      const button = element('button', { type: 'button', textContent: name, title: this.means(name) });
      button.addEventListener('click', () => {
        if (this.order.value === key) this.turned.ariaPressed = String(this.turned.ariaPressed !== 'true');
        else { this.order.value = key; this.turned.ariaPressed = 'false'; }
        this.changed();
      });
      const made = element('th', { scope: 'col', className: style }, button);
      made.dataset.key = key;
      return made;
    };
    const bare = (name, style) => element('th', { scope: 'col', className: style }, element('abbr', { title: this.means(name), textContent: name }));
    const [rank, name, ...rest] = this.columns.filter(([, , style]) => style !== null);
    row.append(cell(rank), cell(name), bare('kind', 'c-kind'), bare('band', ''), ...rest.map(cell));
    return row;
  }

  // What a word of the head means, as the glossary says.
  means(name) { return this.told.words[name] ?? this.told.words[name.replace(/s$/, '')] ?? ''; }

  // One file of rows after the other, so that the first are there at once.
  load(number) {
    if (number >= this.told.files) return;
    load(`data/rows-${number}.js`, () => { this.found.textContent = `The rows from ${this.rows.length} on could not be loaded.`; });
  }

  take(number, rows) {
    for (const row of rows) {
      this.rows.push(row);
      const place = `${row[PACKAGE]}#${this.told.kinds[row[KIND]]}:${row[PATH]}`.toLowerCase();
      this.texts.push(`${row[NAME].toLowerCase()}\n${place}\n${place.replace(/[^\p{L}\p{N}]+/gu, '-')}\n${row[ID]}`);
    }
    this.sorted = null;
    this.choose(this.window.scrollTop > 0);
    this.load(number + 1);
  }

  // From the address to the controls, and from the controls to the address.
  read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const choose = (control, key, other) => { const value = asked.get(key) ?? other; control.value = value; if (control.value !== value) control.value = other; };
    this.search.value = asked.get('q') ?? '';
    choose(this.kind, 'kind', ''); choose(this.band, 'band', ''); choose(this.source, 'source', ''); choose(this.rule, 'rule', ''); choose(this.order, 'sort', 'rank');
    this.turned.ariaPressed = String(asked.get('turned') === '1');
    this.choose();
  }

  changed() {
    const asked = new URLSearchParams();
    const put = (key, value, other) => { if (value !== other) asked.set(key, value); };
    put('q', this.search.value.trim(), ''); put('kind', this.kind.value, ''); put('band', this.band.value, ''); put('source', this.source.value, ''); put('rule', this.rule.value, ''); put('sort', this.order.value, 'rank');
    put('turned', this.turned.ariaPressed === 'true' ? '1' : '', '');
    history.replaceState(null, '', `#${asked}`);
    this.choose();
  }

  // Places of all rows in the order asked for; kept until another is asked for.
  sort() {
    const key = this.order.value, turned = this.turned.ariaPressed === 'true';
    if (this.sorted && this.sorted.key === key && this.sorted.turned === turned) return this.sorted.places;
    const places = this.rows.map((_, at) => at);
    const [, , , value, greatest] = this.columns.find(([of]) => of === key);
    if (key === 'name') {
      const names = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
      places.sort((one, other) => names.compare(this.rows[one][NAME], this.rows[other][NAME]) || one - other);
    } else if (key !== 'rank') {
      const values = this.rows.map(value);
      // Rows without a value come last, whichever way round.
      const none = (at) => values[at] < 0 || values[at] === -Infinity;
      const way = greatest !== turned ? -1 : 1;
      places.sort((one, other) => none(one) - none(other) || way * (values[one] - values[other]) || one - other);
    }
    if (turned && (key === 'rank' || key === 'name')) places.reverse();
    this.sorted = { key, turned, places };
    return places;
  }

  choose(stay) {
    const begun = performance.now();
    const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const at = (control, all) => (control.value === '' ? -1 : all.indexOf(control.value));
    const holders = this.of(this.rule.value);
    // Whatever a rule found is shown, also in the rest of a package that says nothing else.
    const rest = this.told.kinds.indexOf(REST), quiet = this.kind.value === '' && !holders ? rest : -1;
    const speaks = (row) => row[FOUND].some((count) => count > 0) || this.told.bands.indexOf('watch') < row[BAND];
    const kind = at(this.kind, this.told.kinds), band = at(this.band, this.told.bands), source = at(this.source, this.told.sources);
    this.shown = this.sort().filter((place) => {
      const row = this.rows[place];
      return (kind < 0 || row[KIND] === kind) && (row[KIND] !== quiet || speaks(row)) && (band < 0 || row[BAND] === band) && (source < 0 || row[SOURCE] === source) && (!holders || holders.has(row[ID]))
        && words.every((word) => this.texts[place].includes(word));
    });
    // Whoever types a whole name means that one, wherever it ranks; a chosen order stays.
    if (words.length > 0 && this.order.value === 'rank') {
      const asked = words.join(' '), bare = (text) => text.slice(text.indexOf(':') + 1);
      const meant = (place) => [NAME, PACKAGE].map((of) => this.rows[place][of].toLowerCase()).some((text) => text === asked || bare(text) === asked);
      this.shown = [...this.shown.filter(meant), ...this.shown.filter((place) => !meant(place))];
    }
    // Another filter is about capabilities alone.
    if (!stay) packages.show(kind < 0 && band < 0 && source < 0 && !holders ? this.search.value : '');
    if (!stay) { this.active = 0; this.window.scrollTop = 0; }
    const key = this.order.value, turned = this.turned.ariaPressed === 'true';
    const greatest = this.columns.find(([of]) => of === key)[4];
    for (const cell of this.table.tHead.querySelectorAll('th[data-key]')) {
      if (cell.dataset.key === key) cell.setAttribute('aria-sort', greatest !== turned ? 'descending' : 'ascending'); else cell.removeAttribute('aria-sort');
    }
    this.drawn = null;
    this.draw();
    const loading = this.rows.length < this.told.rows ? `; ${count(this.rows.length)} loaded so far` : '';
    this.found.textContent = `${count(this.shown.length)} of ${count(this.told.rows)} capabilities${loading}`;
    this.nothing.hidden = this.shown.length > 0 || loading !== '';
    this.window.hidden = !this.nothing.hidden;
    this.place.dataset.ms = (performance.now() - begun).toFixed(1);
    this.place.dataset.loaded = this.rows.length;
  }

  // The capabilities in which a rule found something; none for no rule. They come from a file of the rule's own.
  of(rule) {
    if (rule === '') return null;
    if (!this.holders.has(rule)) {
      this.holders.set(rule, new Set());
      load(`data/found-${rule}.js`, () => { this.found.textContent = `The capabilities of ${rule} could not be loaded.`; });
    }
    return this.holders.get(rule);
  }

  // Only the rows that can be seen are there; two empty rows hold the place of the others.
  draw() {
    const height = this.height || 50;
    const first = Math.max(0, Math.floor(this.window.scrollTop / height) - 10);
    const last = Math.min(this.shown.length, first + Math.ceil((this.window.clientHeight || 600) / height) + 24);
    if (this.drawn && this.drawn.first === first && this.drawn.last === last) return;
    this.drawn = { first, last };
    const held = this.body.contains(document.activeElement);
    // Columns that a narrow screen leaves out must not come back by a wide cell.
    const columns = [...this.table.tHead.rows[0].cells].filter((cell) => cell.offsetParent !== null).length || 9;
    const gap = (rows) => { const cell = element('td', { colSpan: columns }); cell.style.height = `${rows * height}px`; const row = element('tr', { className: 'gap' }, cell); row.setAttribute('aria-hidden', 'true'); return row; };
    const lines = [];
    if (first > 0) lines.push(gap(first));
    for (let at = first; at < last; at += 1) lines.push(this.line(at));
    if (last < this.shown.length) lines.push(gap(this.shown.length - last));
    this.body.replaceChildren(...lines);
    this.table.setAttribute('aria-rowcount', this.shown.length + 1);
    if (held) this.body.querySelector('a[tabindex="0"]')?.focus({ preventScroll: true });
    const real = this.body.querySelector('tr:not(.gap)')?.getBoundingClientRect().height;
    if (real && !this.height) { this.height = real; this.drawn = null; this.draw(); }
  }

  line(at) {
    const place = this.shown[at], row = this.rows[place];
    const link = element('a', { href: `c/${row[ID].slice(0, 2)}/${row[ID]}.html`, tabIndex: at === this.active ? 0 : -1 }, element('bdi', { textContent: row[NAME] }));
    const under = element('span', { className: 'under' }, element('bdi', { textContent: row[PATH] ? `${row[PACKAGE]}#${row[PATH]}` : row[PACKAGE] }), row[MARK] ? `, ${row[MARK]}` : '');
    const band = this.told.bands[row[BAND]];
    const found = SEVERITIES.flatMap((word, of) => (row[FOUND][of] ? [`${row[FOUND][of]} ${word}`] : [])).join(', ') || 'none';
    const cell = (style, text) => element('td', { className: style, textContent: text });
    const made = element('tr', {}, cell('num quiet', (place + 1).toLocaleString('en')), element('th', { scope: 'row', className: 'c-name', title: row[NAME] }, link, under), cell('c-kind', this.told.kinds[row[KIND]]),
      element('td', {}, element('span', { className: `mark band-${band}`, textContent: band })),
      ...this.told.rubrics.flatMap((rubric, of) => (rubric.column ? [cell('num c-value', row[VALUES][of] ?? '–')] : [])),
      cell('num c-differ', row[DIFFER] === null ? '–' : String(row[DIFFER] / 1000)), cell('c-found', found));
    made.setAttribute('aria-rowindex', at + 2);
    made.dataset.at = at;
    return made;
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const typing = event.target.matches?.('input, select, button');
    if (event.key === '/' && !typing) { event.preventDefault(); this.search.focus(); this.search.select(); return; }
    const inside = this.window.contains(event.target);
    if (event.target === this.search && event.key === 'ArrowDown') { event.preventDefault(); this.go(this.active); return; }
    if (!inside || event.target.closest('thead')) return;
    const page = Math.max(1, Math.floor(this.window.clientHeight / (this.height || 50)) - 2);
    const from = this.body.contains(event.target) ? this.active : this.active - (event.key === 'ArrowDown' ? 1 : 0);
    const steps = { ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page, Home: 0, End: this.shown.length - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    if (event.key === 'ArrowUp' && from === 0) { this.search.focus(); return; }
    this.go(steps[event.key]);
  }

  // Puts the focus on a row, wherever it is.
  go(to) {
    if (this.shown.length === 0) return;
    this.active = Math.min(Math.max(0, to), this.shown.length - 1);
    const height = this.height || 50, head = this.table.tHead.getBoundingClientRect().height;
    const top = this.active * height, bottom = top + height + head;
    if (top < this.window.scrollTop) this.window.scrollTop = top;
    else if (bottom > this.window.scrollTop + this.window.clientHeight) this.window.scrollTop = bottom - this.window.clientHeight;
    this.drawn = null;
    this.draw();
    this.body.querySelector('a[tabindex="0"]')?.focus({ preventScroll: true });
  }
}

let directory = null;
// What the files of rows call.
window.capdexRows = (number, rows) => directory?.take(number, rows);
window.capdexFound = (rule, ids) => { directory?.holders.set(rule, new Set(ids)); directory?.choose(); };

const place = document.getElementById('directory');
if (place) directory = new Directory(place);
else { reveal(); addEventListener('hashchange', reveal); }
for (const found of document.querySelectorAll('.find')) finder(found);
for (const table of document.querySelectorAll('table[data-filter]')) filtered(table);
if (nightly.size > 0) load('data/night.js');
