// Drives a site of capdex with a headless Chromium as its readers do, and ends with 1 where something is not as it must be.
//
//   node check.js ROOT [SCREENSHOTS]
//   node check.js PAGE.html
//
// A page alone is opened, in the light and in the dark, and has to load nothing.
//
// ROOT is a folder that `capdex report` wrote from the world of tests/it/site/world.rs, or the address at which `capdex serve`
// answers with the same. With SCREENSHOTS it also writes the pictures of the README into that folder. `tests/run` installs
// playwright-core, axe-core and Chromium; NODE_PATH and CAPDEX_CHROMIUM say where they are. Nothing is downloaded here.
'use strict';

const { chromium } = require('playwright-core');
const { readFileSync, writeFileSync } = require('node:fs');
const { basename, dirname, resolve } = require('node:path');

const [, , given, pictures] = process.argv;
const alone = given.endsWith('.html') ? basename(given) : null;
const root = /^https?:/.test(given) ? given.replace(/\/$/, '') : `file://${resolve(alone ? dirname(given) : given)}`;
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const PARTS = ['index', 'directory', 'names', 'drift', 'alerts', 'appeals', 'lookalikes', 'rules', 'rubrics', 'coverage', 'glossary'].map((name) => `${name}.html`);
const DESKTOP = { width: 1280, height: 900 }, TABLET = { width: 800, height: 1000 }, PHONE = { width: 390, height: 844 }, NARROW = { width: 320, height: 640 };
// Names that tests/it/site/world.rs gives to skills.
const HOSTILE = ['<script>window.hacked=1</script>', 'javascript:window.hacked=1', 'onerror=window.hacked=1'];

const wrong = [];
const must = (holds, what) => { if (!holds) wrong.push(what); };

// A page that notes whatever goes wrong in it.
async function open(browser, path, options = {}) {
  const { quiet = true, ...context } = options;
  const made = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce', ...context });
  const page = await made.newPage();
  const at = (what) => must(!quiet, `${path}: ${what}`);
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) at(`console: ${message.text()}`); });
  page.on('pageerror', (error) => at(`error: ${error.message}`));
  page.on('dialog', (dialog) => { at(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  // The browser asks for the icon by itself, and drops that when this script leaves the page: nothing of the site failed.
  page.on('requestfailed', (request) => { if (request.failure().errorText !== 'net::ERR_ABORTED') at(`failed: ${request.url()} (${request.failure().errorText})`); });
  page.on('request', (request) => must(request.url().startsWith(`${root}/`), `${path}: asked for ${request.url()}`));
  await page.goto(`${root}/${path}`);
  return { page, close: () => made.close() };
}

const loaded = (page) => page.waitForFunction(() => {
  const place = document.getElementById('directory');
  return place && !place.hidden && Number(place.dataset.loaded) === JSON.parse(place.dataset.told).rows;
});
const found = (page) => page.locator('.found').textContent();
const names = (page) => page.locator('.window tbody tr:not(.gap) th a').allTextContents();

async function accessible(page, path) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'], preload: false }));
  for (const { id, impact, nodes } of violations) {
    wrong.push(`${path}: axe ${impact} ${id}: ${nodes.slice(0, 3).map((node) => `${node.target} (${node.failureSummary.replace(/\s+/g, ' ')})`).join('; ')}`);
  }
}

// Words in the cells of tables that stand on two lines: letters that belong together are measured one word at a time. Longer ones, and
// paths and digests in the style of code, have to break somewhere.
const LONGEST_WORD = 20;
const broken = (page) => page.evaluate((longest) => {
  const found = [];
  for (const cell of document.querySelectorAll('main th, main td')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement.closest('code')) continue;
      for (const { 0: token, index } of text.data.matchAll(/\S+/g)) {
        if (token.length > longest) continue;
        for (const { 0: word, index: at } of token.matchAll(/\p{L}{2,}/gu)) {
          const range = document.createRange();
          range.setStart(text, index + at);
          range.setEnd(text, index + at + word.length);
          const lines = new Set([...range.getClientRects()].filter((of) => of.width > 0).map((of) => Math.round(of.top)));
          if (lines.size > 1) found.push(word);
        }
      }
    }
  }
  return found;
}, LONGEST_WORD);

// Every kind of page: quiet, accessible, whole words, and no wider than the smallest screen; those that have every mark of the style
// also in the dark and on a phone.
async function pages(browser, paths, inAll) {
  for (const path of paths) {
    for (const colorScheme of inAll.includes(path) ? ['light', 'dark'] : ['light']) {
      const { page, close } = await open(browser, path, { colorScheme });
      if (path === 'directory.html') await loaded(page);
      await page.evaluate(() => document.querySelectorAll('details').forEach((of) => { of.open = true; }));
      await accessible(page, `${path} (${colorScheme})`);
      must(await page.evaluate(() => window.hacked === undefined), `${path}: a name of a stranger was run`);
      for (const viewport of colorScheme === 'light' ? [DESKTOP, PHONE, NARROW] : inAll.includes(path) ? [PHONE] : []) {
        await page.setViewportSize(viewport);
        const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        must(wide <= room, `${path}: ${wide} wide on a screen of ${room}`);
        const words = await broken(page);
        must(words.length === 0, `${path}: words break inside on a screen of ${room}: ${[...new Set(words)].slice(0, 5)}`);
        if (viewport === PHONE && inAll.includes(path)) await accessible(page, `${path} (${colorScheme}, phone)`);
      }
      await close();
    }
  }
}

// The instant, the ranks and the counts of rules come from the files of the night, and the page makes sense without them.
async function nightly(browser, capability) {
  const { page, close } = await open(browser, capability);
  await page.waitForFunction(() => /^[\d,]+ of [\d,]+$/.test(document.querySelector('[data-night=rank]').textContent));
  must(/^2026-/.test(await page.locator('footer time').textContent()), 'the foot of a page tells the instant');
  must(await page.locator('[data-night=rank_kind]').isVisible(), 'the rank among its kind is told');
  await page.goto(`${root}/rule/pipe-to-shell.html`);
  await page.waitForFunction(() => /^\d+ capabilit(y|ies)$/.test(document.querySelector('[data-night=found]').textContent));
  // The count leads to just these.
  const told = await page.locator('[data-night=found]').textContent();
  await page.locator('[data-night=found]').click();
  await page.waitForURL('**/directory.html#rule=pipe-to-shell');
  await loaded(page);
  await page.waitForFunction((first) => document.querySelector('.found').textContent.startsWith(first), `${told.split(' ')[0]} of `);
  must((await page.locator('#f-rule').inputValue()) === 'pipe-to-shell', 'the rule is chosen in the directory');
  await close();
  const bare = await open(browser, capability, { javaScriptEnabled: false });
  must((await bare.page.locator('[data-night=rank]').textContent()) === 'in the directory', 'without the script the place of the rank is named');
  must(!(await bare.page.locator('[data-night=trust]').isVisible()), 'without the script nothing is empty');
  must((await bare.page.locator('footer').textContent()).startsWith('As of the night that the overview names. '), 'the foot makes sense without the script');
  await bare.close();
}

// Tables of events and rules are filtered by text and by the words of a column.
async function filters(browser) {
  const { page, close } = await open(browser, 'drift.html');
  const all = await page.locator('table.feed tbody tr').count(), shown = () => page.locator('table.feed tbody tr:visible').count();
  await page.getByLabel('Search').fill('letters-mcp');
  must(await shown() > 0 && await shown() < all, `drift by text: ${await shown()} of ${all}`);
  await page.getByLabel('Search').fill('');
  const severity = await page.locator('table.feed tbody tr').first().locator('td').nth(1).textContent();
  await page.getByLabel('Severity').selectOption(severity);
  const kept = await page.locator('table.feed tbody tr:visible td:nth-child(2)').allTextContents();
  must(kept.length > 0 && kept.every((word) => word === severity), `drift by severity: ${kept}`);
  await close();
}

// A search finds packages first, on the first page and in the directory; the page of one leads with its verdict and its worst part.
async function packages(browser, path) {
  const { page, close } = await open(browser, 'index.html');
  const shown = () => page.locator('.packages li a').allTextContents();
  must(!(await page.locator('.packages').isVisible()), 'no package is shown before something is typed');
  await page.getByLabel('Find a package or a capability').fill('quick-setup');
  await page.waitForFunction(() => document.querySelectorAll('.packages li').length > 0);
  must((await shown())[0] === 'npm:quick-setup', `the package of that name comes first: ${await shown()}`);
  must((await page.locator('.packages li .mark').first().textContent()) === 'block', 'its verdict stands beside it');
  await accessible(page, 'index.html with a search');
  await page.getByLabel('Find a package or a capability').fill('no-such-package-anywhere');
  await page.waitForFunction(() => document.querySelector('.packages [role=status]').textContent === 'No package has such a name.');
  await page.getByLabel('Find a package or a capability').fill('npm:quick-setup');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/${path}`);
  must((await page.locator('h1').textContent()) === 'npm:quick-setup', 'a whole name leads to the page of the package');
  must((await page.locator('.lead .mark').textContent()) === 'block', 'the page leads with the verdict');
  const order = ['block', 'caution', 'unknown', 'watch', 'ok'];
  const bands = await page.locator('section[aria-labelledby=parts] tbody .mark').allTextContents();
  must(bands.length > 0 && bands.every((band, at) => at === 0 || order.indexOf(bands[at - 1]) <= order.indexOf(band)), `parts are not worst first: ${bands}`);
  await page.locator('section[aria-labelledby=parts] tbody a').first().click();
  await page.waitForURL('**/c/**');
  await page.locator('.lead a').click();
  await page.waitForURL(`**/${path}`);
  await page.goto(`${root}/directory.html#q=letters-mcp`);
  await loaded(page);
  await page.waitForFunction(() => document.querySelectorAll('.packages li').length > 0);
  must((await shown())[0] === 'npm:letters-mcp', `the directory finds the package first: ${await shown()}`);
  await page.selectOption('#f-kind', 'skill');
  must(!(await page.locator('.packages').isVisible()), 'a filter of capabilities leaves no packages');
  await close();
}

// The page of a capability's package.
async function packageOf(browser, capability) {
  const { page, close } = await open(browser, capability);
  const href = await page.locator('.lead a').getAttribute('href');
  await close();
  return href.replace('../../', '');
}

async function directory(browser) {
  const { page, close } = await open(browser, 'directory.html');
  await loaded(page);
  const told = await page.evaluate(() => JSON.parse(document.getElementById('directory').dataset.told));
  await page.selectOption('#f-kind', 'every');
  must((await found(page)) === `${told.rows} of ${told.rows} capabilities`, `all rows: ${await found(page)}`);
  await page.selectOption('#f-kind', '');
  await page.fill('#f-q', 'LETTERS');
  await page.waitForFunction(() => location.hash.includes('q=LETTERS'));
  must((await names(page)).every((name) => name.includes('letters')) && (await names(page)).length > 0, `search: ${await names(page)}`);
  await page.fill('#f-q', 'npm-letters-mcp-mcp-server');
  await page.waitForFunction(() => location.hash.includes('mcp-server'));
  must((await names(page)).length === 1, `search by slug: ${await names(page)}`);
  // A whole name first, though others that hold it rank higher.
  await page.fill('#f-q', 'quick-setup');
  await page.waitForFunction(() => location.hash.includes('q=quick-setup'));
  const under = await page.locator('.window tbody tr:not(.gap) .under').first().textContent();
  must(under.startsWith('npm:quick-setup') && !/^npm:quick-setup[-.]/.test(under), `a whole name comes first: ${under}`);
  await page.fill('#f-q', '<script>window.hacked=1</script>');
  await page.waitForFunction(() => location.hash.includes('hacked'));
  must((await names(page)).includes(HOSTILE[0]), `a hostile name is found as text: ${await names(page)}`);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.selectOption('#f-kind', 'skill');
  await page.selectOption('#f-band', 'block');
  const kinds = new Set(await page.locator('.window tbody tr:not(.gap) .c-kind').allTextContents());
  const bands = new Set(await page.locator('.window tbody .mark').allTextContents());
  must([...kinds].join() === 'skill' && [...bands].join() === 'block', `filters: ${[...kinds]}, ${[...bands]}`);
  await page.getByRole('button', { name: 'Clear' }).click();
  await sorted(page);
  // The address holds the view: the same after it is opened again.
  const [address, before] = [page.url(), await names(page)];
  await page.goto('about:blank');
  await page.goto(address);
  await loaded(page);
  must((await names(page)).join() === before.join(), 'the address brings the view back');
  // Nothing that a name holds may act, and nothing that is put into the page by a hole either.
  const probe = await open(browser, 'directory.html', { quiet: false });
  await probe.page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.probed = 1';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.probed = 1"><p style="color: red">x</p>');
  });
  await probe.page.waitForTimeout(100);
  must(await probe.page.evaluate(() => window.probed === undefined), 'the policy lets a script in a page run');
  await probe.close();
  await close();
}

// By the head of the table, by the choice, and the other way round.
async function sorted(page) {
  const values = async () => (await page.locator('.window tbody tr:not(.gap) .c-value:nth-of-type(4)').allTextContents()).filter((text) => text !== '–').map(Number);
  const falls = (numbers) => numbers.every((number, at) => at === 0 || numbers[at - 1] >= number);
  await page.locator('th[data-key="spiderrating/seed"] button').click();
  const down = await values();
  must(down.length > 3 && falls(down), `sorted by spiderrating: ${down}`);
  must((await page.locator('th[data-key="spiderrating/seed"]').getAttribute('aria-sort')) === 'descending', 'the order is said');
  await page.getByRole('button', { name: 'Reverse order' }).click();
  must(falls((await values()).reverse()), `sorted the other way round: ${await values()}`);
  await page.selectOption('#f-sort', 'name');
  await page.waitForFunction(() => location.hash.includes('sort=name'));
}

// Without a mouse: search, go down, open, read the diff, come back.
async function keyboard(browser) {
  const { page, close } = await open(browser, 'directory.html');
  await loaded(page);
  const press = (key) => page.keyboard.press(key);
  await press('Tab');
  must((await page.evaluate(() => document.activeElement.className)) === 'skip', 'the first key leads to the content');
  await press('Enter');
  await press('/');
  must((await page.evaluate(() => document.activeElement.id)) === 'f-q', '/ leads to the search');
  await page.keyboard.type('kit');
  await page.waitForFunction(() => location.hash === '#q=kit');
  await page.evaluate(() => new Promise((told) => { addEventListener('hashchange', told, { once: true }); location.hash = 'main'; }));
  must((await page.locator('#f-q').inputValue()) === 'kit', 'the way to the content keeps what is searched for');
  await page.focus('#f-q');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'End', 'Home', 'PageDown', 'ArrowUp']) await press(key);
  const focused = () => page.evaluate(() => document.activeElement.closest('tr')?.dataset.at);
  must(Number(await focused()) > 2, `arrow keys move: row ${await focused()}`);
  await press('Home');
  must((await focused()) === '0', `Home leads to the first row: ${await focused()}`);
  const name = await page.evaluate(() => document.activeElement.textContent);
  await press('Enter');
  await page.waitForURL('**/c/**');
  must((await page.locator('h1').textContent()) === name, 'Enter opens the row');
  await page.goto(`${root}/drift.html`);
  const link = page.locator('table.feed a', { hasText: 'letters-mcp-mcp-server' }).first();
  await link.focus();
  await press('Enter');
  await page.waitForURL('**/c/**');
  const event = page.locator('article.event:target');
  must(await event.evaluate((of) => document.activeElement === of), 'the event has the focus');
  must((await event.locator('.diff .add mark').allTextContents()).some((words) => words.includes('archive@giftcards.test')), 'the new words of a line are marked');
  must((await event.locator('.diff .add').allTextContents()).some((line) => line.includes('archive@giftcards.test')), 'the diff is there');
  must(await event.evaluate((of) => of.getBoundingClientRect().top < innerHeight), 'the event is in sight');
  await close();
}

// By mouse from the overview to a finding's source, and without the script.
async function reading(browser) {
  const { page, close } = await open(browser, 'index.html');
  await page.locator('#alerts-h ~ ul a').first().click();
  await page.waitForURL('**/alerts-*.html#**');
  await page.locator('article.event:target a').first().click();
  await page.waitForURL('**/c/**');
  await page.locator('nav.contents a', { hasText: 'Scores' }).click();
  await page.locator('details.arithmetic summary').first().click();
  must(await page.locator('details.arithmetic table.sum').first().isVisible(), 'the arithmetic opens');
  await close();
  const bare = await open(browser, 'directory.html', { javaScriptEnabled: false });
  must(await bare.page.locator('#plain tbody tr').first().isVisible() && !(await bare.page.locator('#directory').isVisible()), 'the plain list stands without the script');
  await bare.page.locator('#plain tbody a').first().click();
  await bare.page.waitForURL('**/c/**');
  await bare.close();
}

// A picture of each kind of page on three screens, and in the dark.
async function photograph(browser) {
  const letters = await pathOf(browser, 'npm-letters-mcp-mcp-server');
  const bad = await pathOf(browser, 'npm-quick-setup-skill-skills-setup');
  const shots = [
    ['overview', 'index.html'], ['directory', 'directory.html#sort=spiderrating%2Fseed'], ['capability', bad], ['drift', 'drift.html'], ['diff', `${letters}#drift`],
    ['alerts', 'alerts.html'], ['rules', 'rules.html'], ['rule', 'rule/pipe-to-shell.html'], ['package', await packageOf(browser, bad)],
  ];
  const canvas = await browser.newPage();
  for (const [name, path] of shots) {
    for (const [mark, viewport, colorScheme] of [['', DESKTOP, 'light'], ['-dark', DESKTOP, 'dark'], ['-tablet', TABLET, 'light'], ['-phone', PHONE, 'light']]) {
      const { page, close } = await open(browser, path, { viewport, colorScheme });
      if (path.startsWith('directory')) await loaded(page);
      writeFileSync(resolve(pictures, `${name}${mark}.webp`), await webp(canvas, await page.screenshot()));
      await close();
    }
  }
  await canvas.close();
}

// A picture as WebP, which takes a quarter of the bytes; the browser makes it.
async function webp(canvas, png) {
  const made = await canvas.evaluate(async (source) => {
    const bitmap = await createImageBitmap(await (await fetch(source)).blob());
    const drawn = new OffscreenCanvas(bitmap.width, bitmap.height);
    drawn.getContext('2d').drawImage(bitmap, 0, 0);
    const bytes = new Uint8Array(await (await drawn.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  }, `data:image/png;base64,${png.toString('base64')}`);
  return Buffer.from(made, 'base64');
}

// The page of a capability, as a reader finds it.
async function pathOf(browser, search) {
  const { page, close } = await open(browser, `directory.html#q=${encodeURIComponent(search)}`);
  await loaded(page);
  const path = await page.locator('.window tbody a').first().getAttribute('href');
  await close();
  return path;
}

// A whole site.
async function site(browser) {
  const hostile = [];
  for (const name of HOSTILE) hostile.push(await pathOf(browser, name));
  const bad = await pathOf(browser, 'npm-quick-setup-skill-skills-setup');
  const deep = [await pathOf(browser, 'npm-letters-mcp-mcp-server'), bad, await pathOf(browser, 'longlong'), 'rule/pipe-to-shell.html', 'rubric/saferskills-seed.html'];
  const ofPackage = await packageOf(browser, bad), hostilePackages = [];
  for (const path of hostile) hostilePackages.push(await packageOf(browser, path));
  const every = ['index.html', 'directory.html', 'drift.html', 'alerts.html', 'rules.html', 'rule/pipe-to-shell.html', deep[0], bad, ofPackage];
  await pages(browser, [...PARTS, ...hostile, ...new Set(hostilePackages), ...deep, await packageOf(browser, deep[0]), ofPackage], every);
  await packages(browser, ofPackage);
  await directory(browser);
  await nightly(browser, bad);
  await filters(browser);
  await keyboard(browser);
  await reading(browser);
  if (pictures) await photograph(browser);
}

async function main() {
  const browser = await chromium.launch({ executablePath: process.env.CAPDEX_CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    if (alone) {
      await pages(browser, [alone], [alone]);
    } else {
      await site(browser);
    }
  } finally {
    await browser.close();
  }
  for (const what of wrong) console.log(what);
  console.log(wrong.length === 0 ? 'all is as it must be' : `${wrong.length} wrong`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

main().catch((error) => {
  for (const what of wrong) console.log(what);
  console.log(error);
  process.exitCode = 1;
});
