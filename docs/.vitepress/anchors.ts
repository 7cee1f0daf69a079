import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Checks links to headings in the built pages; VitePress itself checks only links to pages.
 * @throws Error for a link to a missing heading
 */
export function checkAnchors(site: string): void {
  const texts = new Map(
    globSync('**/*.html', { cwd: site }).map((file) => [
      `/${file.replace(/(^|\/)index\.html$|\.html$/, '$1')}`,
      readFileSync(join(site, file), 'utf8'),
    ]),
  );
  const places = new Map(
    [...texts].map(([page, text]) => [
      page,
      new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const lost = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/ href="(\/[^"#]*)?#([^"]+)"/g)].flatMap(([, target = page, anchor = '']) =>
      places.get(target)?.has(decodeURIComponent(anchor)) === true ? [] : [`${page}: ${target}#${anchor}`],
    ),
  );
  if (lost.length > 0) throw new Error(`Links lead to missing headings:\n${[...new Set(lost)].join('\n')}`);
}
