// Judges pages of capdex with Lighthouse, light and dark, on a desk and on a phone, and ends with 1 where a score is below the bound.
//
//   node lighthouse.mjs ADDRESS [BOUND] [PATH…]
//
// ADDRESS is where `capdex serve` answers; BOUND is the least score of each category, 95 unless given. CAPDEX_LIGHTHOUSE is a folder
// in which Lighthouse is installed (`npm install --prefix FOLDER lighthouse@12`), CAPDEX_CHROMIUM is Chromium. Without paths, a page of
// each kind. Lighthouse measures times: a busy machine scores lower, and the rest of its answers stays.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , address, bound = '95', ...given] = process.argv;
const home = process.env.CAPDEX_LIGHTHOUSE;
const packaged = (path) => import(pathToFileURL(join(home, 'node_modules', path)).href);
const { default: lighthouse } = await packaged('lighthouse/core/index.js');
const chrome = await packaged('chrome-launcher/dist/index.js');

const PARTS = ['', 'directory.html', 'alerts.html', 'drift.html', 'rules.html', 'rule/pipe-to-shell.html', 'lookalikes.html', 'coverage.html', 'glossary.html'];
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
const screen = (width, height, mobile) => ({ formFactor: mobile ? 'mobile' : 'desktop', screenEmulation: { mobile, width, height, deviceScaleFactor: 1, disabled: false } });
// What Lighthouse itself takes for a desk: a fast line and no slower processor.
const DESK = { ...screen(1280, 900, false), throttling: { rttMs: 40, throughputKbps: 10240, cpuSlowdownMultiplier: 1, requestLatencyMs: 0, downloadThroughputKbps: 0, uploadThroughputKbps: 0 } };
const PHONE = screen(390, 844, true);

async function paths() {
  if (given.length > 0) return given;
  // The worst capability has most to show, and a page of names has most rows.
  const { items } = await (await fetch(`${address}/api/v1/capabilities?band=block&limit=1`)).json();
  const index = await (await fetch(`${address}/names.html`)).text();
  const [names] = index.match(/names\/[a-z0-9]+\.html/);
  const pages = items.map(({ id }) => id.replace('sha256:', '').slice(0, 32)).map((id) => `c/${id.slice(0, 2)}/${id}.html`);
  const packages = await (await fetch(`${address}/api/v1/packages?limit=1`)).json();
  return [...PARTS, ...packages.items.map(({ page }) => page.slice(1)), ...pages, names];
}

let low = 0;
for (const scheme of ['light', 'dark']) {
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`];
  const browser = await chrome.launch({ chromePath: process.env.CAPDEX_CHROMIUM, chromeFlags: flags });
  for (const path of await paths()) {
    for (const [width, settings] of [[1280, DESK], [390, PHONE]]) {
      const { lhr } = await lighthouse(`${address}/${path}`, { port: browser.port, logLevel: 'silent', onlyCategories: CATEGORIES, ...settings });
      const scores = CATEGORIES.map((id) => Math.round(lhr.categories[id].score * 100));
      const failed = CATEGORIES.flatMap((id) => lhr.categories[id].auditRefs.filter(({ id: audit, weight }) => weight > 0 && lhr.audits[audit].score !== null && lhr.audits[audit].score < 0.9).map(({ id: audit }) => audit));
      low += scores.filter((score) => score < Number(bound)).length;
      console.log(`${scheme} ${width} /${path}: ${scores.join(' ')}${failed.length > 0 ? ` (${failed.join(', ')})` : ''}`);
    }
  }
  browser.kill();
}
console.log(low === 0 ? `every score is ${bound} or more` : `${low} scores are below ${bound}`);
process.exitCode = low === 0 ? 0 : 1;
