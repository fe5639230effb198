// Times the directory of a written site: how long each filter and order takes, from the key or choice until the rows are drawn.
//
//   node time.js SITE [MILLISECONDS]      ends with 1 where the slowest takes more; NODE_PATH and CAPDEX_CHROMIUM as in check.js
'use strict';

const { chromium } = require('playwright-core');
const { resolve } = require('node:path');

const [, , site, bound = '200'] = process.argv;

async function main() {
  const browser = await chromium.launch({ executablePath: process.env.CAPDEX_CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const begun = Date.now();
  await page.goto(`file://${resolve(site)}/directory.html`);
  await page.waitForFunction(() => {
    const place = document.getElementById('directory');
    return Number(place.dataset.loaded) === JSON.parse(place.dataset.told).rows;
  }, null, { timeout: 120000 });
  const rows = await page.evaluate(() => JSON.parse(document.getElementById('directory').dataset.told).rows);
  console.log(`${rows} rows loaded and indexed in ${Date.now() - begun} ms`);
  // What a person does, and how: a filter is chosen, a text is typed, an order is asked for; then the whole until it is painted.
  const steps = [['#f-q', 'a'], ['#f-q', 'kit'], ['#f-q', 'calendar kit 12'], ['#f-q', 'nothing has this name'], ['#f-q', ''], ['#f-kind', 'skill'], ['#f-kind', 'every'],
    ['#f-band', 'block'], ['#f-band', ''], ['#f-sort', 'spiderrating/seed'], ['#f-sort', 'saferskills/seed'], ['#f-sort', 'findings'], ['#f-sort', 'name'], ['#f-sort', 'rank']];
  let slowest = 0;
  for (const [control, value] of steps) {
    const [chosen, painted] = await page.evaluate(([control, value]) => new Promise((done) => {
      const of = document.querySelector(control), place = document.getElementById('directory');
      of.value = value;
      const start = performance.now();
      place.dataset.ms = '';
      of.dispatchEvent(new Event(of.tagName === 'INPUT' ? 'input' : 'change'));
      const look = () => (place.dataset.ms ? requestAnimationFrame(() => setTimeout(() => done([Number(place.dataset.ms), performance.now() - start]))) : setTimeout(look, 1));
      look();
    }), [control, value]);
    const filters = control !== '#f-sort';
    if (filters) slowest = Math.max(slowest, chosen);
    console.log(`${filters ? 'filter' : 'order '} ${control} ${JSON.stringify(value)}: ${chosen.toFixed(1)} ms, painted after ${painted.toFixed(0)} ms`);
  }
  console.log(`slowest filter: ${slowest.toFixed(1)} ms`);
  await browser.close();
  process.exitCode = slowest <= Number(bound) ? 0 : 1;
}

main().catch((error) => { console.log(error); process.exitCode = 1; });
