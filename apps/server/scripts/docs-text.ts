import { problemCatalogue, problemType } from '@ledger-ops/base';
import { settings } from '../src/config.ts';

/** The table of settings, as the README shows it. */
export function settingsTable(): string {
  const rows = Object.entries(settings).map(
    ([name, { default: value, about }]) => `| \`${name}\` | ${value} | ${about} |`,
  );
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** `docs/problems.md`: every problem type. */
export function problemsPage(): string {
  const rows = Object.entries(problemCatalogue)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([name, { status, title }]) => `| ${status} | \`${problemType(named(name))}\` | ${title} |`);
  return `# Problems

Every failure is answered as \`application/problem+json\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, and for invalid input \`errors\`, a list of \`{pointer, detail}\` where \`pointer\` is a JSON Pointer (RFC 6901) into the body, or the name of a parameter or header. A FAILED action carries the same document as its \`problem\`, with the status that a direct answer would have had. 429 and 503 come with \`Retry-After\`. The token endpoint answers 401 with the body of RFC 6749 §5.2 instead.

This page is made from \`packages/base/src/catalogue.ts\` by \`pnpm --filter @ledger-ops/server generate\`; a test finds drift.

| Status | Type | Title |
| --- | --- | --- |
${rows.join('\n')}
`;
}

/** The README with the table of settings between its marks. */
export function withSettings(readme: string): string {
  return readme.replace(
    /<!-- settings -->[\s\S]*<!-- \/settings -->/,
    `<!-- settings -->\n\n${settingsTable()}\n\n<!-- /settings -->`,
  );
}

function named(name: string): keyof typeof problemCatalogue {
  // Object.entries widens the names of the catalogue to text.
  return name as keyof typeof problemCatalogue;
}
