import { readFileSync } from 'node:fs';

/**
 * Lists all exports of a package's public entry points, for a snapshot. Each name of `exports` in package.json becomes a
 * heading. Below it is one line per export; lines of values also show their kind. Entry points must list their exports by
 * name.
 *
 * @param testFile `import.meta.url` of a test in the package's folder `test`
 * @throws Error if an entry point contains `export *`
 */
export async function surfaceOf(testFile: string): Promise<string> {
  const manifest = new URL('../package.json', testFile);
  const { name, exports }: { name: string; exports: Record<string, unknown> } = JSON.parse(
    readFileSync(manifest, 'utf8'),
  );
  const parts: string[] = [];
  for (const [path, target] of Object.entries(exports)) {
    const source = sourceOf(target);
    const lines = source === undefined ? [] : await exportsOf(new URL(source, manifest));
    parts.push([`${name}${path.slice(1)}`, ...lines].join('\n  '));
  }
  return `${parts.join('\n\n')}\n`;
}

/** The TypeScript file of an entry point; undefined for other kinds of files. */
function sourceOf(target: unknown): string | undefined {
  if (typeof target !== 'object' || target === null || !('@ledger-ops/source' in target)) return undefined;
  return String(target['@ledger-ops/source']);
}

async function exportsOf(file: URL): Promise<string[]> {
  const values = Object.entries(await import(file.href)).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? 'array' : typeof value}`,
  );
  return [...values, ...typesOf(readFileSync(file, 'utf8'), file)].toSorted();
}

/** Types are read from the source, because a running module does not contain them. */
function typesOf(text: string, file: URL): string[] {
  if (/^export \*/m.test(text)) throw new Error(`${file.pathname} exports "*". List its exports by name.`);
  const listed = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, allTypes, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (allTypes !== undefined || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '').replace(/^.* as /, '')),
  );
  const declared = [...text.matchAll(/^export (?:declare )?(?:interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  return [...listed, ...declared].map((name) => `type ${name}`);
}
