import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { marked } from 'marked';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Pages of the guide in reading order. */
const pages = [
  ['getting-started', 'docs/guide/getting-started.md', 'Requirements and terms.'],
  ['tokens', 'docs/guide/tokens.md', 'Access tokens for programs and for people.'],
  ['first-send', 'docs/guide/first-send.md', 'Try a transfer, send it, and follow it until it completes.'],
  ['errors', 'docs/guide/errors.md', 'What errors look like, and how to handle each.'],
  ['pages', 'docs/guide/pages.md', 'Lists with cursors.'],
  ['idempotency', 'docs/guide/idempotency.md', 'Why nothing happens twice when you repeat a request.'],
  ['events', 'docs/events.md', 'Get notified by webhooks or an event stream.'],
] as const;

/** `guide.generated.ts`: the guide's Markdown as HTML. */
export function guideModule(): string {
  const made = pages.map(([name, file, summary]) => {
    const text = read(file);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    return { name, title, summary, content: contentOf(text) };
  });
  return generated('docs/guide', `guide = ${JSON.stringify(made, undefined, 2)} as const`);
}

/** `script.generated.ts`: the reference's script for browsers. */
export function scriptModule(): string {
  const script = stripTypeScriptTypes(read('apps/server/browser/reference.ts')).replaceAll(/[ \t]+$/gm, '');
  return generated('apps/server/browser', `script = ${JSON.stringify(script)}`);
}

const generated = (source: string, text: string) =>
  `// Made from ${source}; see apps/server/scripts/generate.ts.\n\nexport const ${text};\n`;

/** Code and tables that are wider than the screen can be scrolled, also by keyboard. */
const contentOf = (text: string) =>
  marked
    .parse(text, { async: false })
    .replaceAll(
      /<h([23])>(.*)<\/h\1>/g,
      (_, level, words) => `<h${level} id="${anchorOf(words)}">${words}</h${level}>`,
    )
    .replaceAll(/href="(?:guide\/)?([\w-]+)\.md/g, (link, name) =>
      pages.some(([one]) => one === name) ? `href="/docs/guide-${name}` : link,
    )
    .replaceAll('href="../http.md"', 'href="/docs"')
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>');

/** Returns the anchor of a heading, in the form that GitHub and the documentation site use. */
const anchorOf = (words: string) =>
  words
    .toLowerCase()
    .replaceAll(/<[^>]*>|&\w+;|[^\w\s-]/g, '')
    .replaceAll(' ', '-');
