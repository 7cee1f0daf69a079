import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { marked } from 'marked';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Pages of the guide in the order in which they are read. */
const pages = [
  ['getting-started', 'docs/guide/getting-started.md', 'What you need, and the words.'],
  ['tokens', 'docs/guide/tokens.md', 'Access tokens for programs and for people.'],
  ['first-send', 'docs/guide/first-send.md', 'Try a transfer, send it, follow it to its end.'],
  ['errors', 'docs/guide/errors.md', 'How refusals look, and what to do about each.'],
  ['pages', 'docs/guide/pages.md', 'Lists, by cursors.'],
  ['idempotency', 'docs/guide/idempotency.md', 'Nothing happens twice, whatever is sent again.'],
  ['events', 'docs/events.md', 'Be told what happens, by webhooks or as a stream.'],
] as const;

/** `guide.generated.ts`: the guide in HTML, as its Markdown says. */
export function guideModule(): string {
  const made = pages.map(([name, file, summary]) => {
    const text = read(file);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    return { name, title, summary, content: contentOf(text) };
  });
  return generated('docs/guide', `guide = ${JSON.stringify(made, undefined, 2)} as const`);
}

/** `script.generated.ts`: the script of the reference as browsers run it. */
export function scriptModule(): string {
  const script = stripTypeScriptTypes(read('apps/server/browser/reference.ts')).replaceAll(/[ \t]+$/gm, '');
  return generated('apps/server/browser', `script = ${JSON.stringify(script)}`);
}

const generated = (source: string, text: string) =>
  `// Made from ${source} by \`pnpm --filter @ledger-ops/server generate\`; a test finds drift.\n\nexport const ${text};\n`;

/** Lines and tables that are wider than a screen are scrolled, by keys too. */
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

/** As repositories and the documentation's site name headings. */
const anchorOf = (words: string) =>
  words
    .toLowerCase()
    .replaceAll(/<[^>]*>|&\w+;|[^\w\s-]/g, '')
    .replaceAll(' ', '-');
