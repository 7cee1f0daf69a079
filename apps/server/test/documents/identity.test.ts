// All pages have the same colors and logo. Pages that cannot load the console's style sheet contain copies of both.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SignInPages } from '../../src/present/sign-in-pages.ts';
import { mark } from '../../src/reference/mark.ts';
import { style } from '../../src/reference/style.ts';

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const colors = new Set(
  read('apps/console/src/identity.css')
    .match(/#[\da-f]{3,8}\b/gi)
    ?.map(normal),
);
const page = String(
  new SignInPages(undefined).login({
    appName: 'Shop',
    action: '/',
    fields: {},
    formTarget: 'https://shop.example',
  }).raw,
);

/** Expands `#fff` to `#ffffff`. */
function normal(color: string): string {
  return color.length === 4 ? color.replaceAll(/[\da-f]/gi, '$&$&') : color;
}

test.each([
  ['the styles of the sign-in pages', /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? ''],
  ['the styles of the API reference', style],
])('%s use only colors of the brand palette', (_, css) => {
  const used = css.match(/#[\da-f]{3,8}\b/gi)?.map(normal) ?? [];
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((color) => !colors.has(color))).toEqual([]);
});

test('the sign-in pages, the API reference and the console show the same logo', () => {
  const strokes = /M17 15v34M27 15v34M37 15v34M47 15v34/;
  for (const text of [
    page,
    mark,
    read('apps/console/public/mark.svg'),
    read('apps/console/src/ui/mark.tsx'),
  ]) {
    expect(text).toMatch(strokes);
  }
});
