import { createRequire } from 'node:module';
import { invalidRequest } from '@ledger-ops/base';
import { parseJson } from '@ledger-ops/glo-core';
import semver from 'semver';
import { z } from 'zod';

const maxCharacters = 5_242_880;
const maxFiles = 1_000;

/**
 * Names of the request's sources: relative paths without dot segments, and without characters that other systems
 * interpret.
 */
const sourceName = z
  .string()
  .max(256, { abort: true })
  .regex(
    /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[A-Za-z0-9@_.$+ -][A-Za-z0-9@_.$+ /-]{0,255}$/,
    'source names must be relative paths without . and ..',
  );
const content = z.strictObject({
  content: z.string({ error: 'must be text' }),
  keccak256: z.string().optional(),
});
const settings = z.strictObject({
  optimizer: z.record(z.string(), z.unknown()).optional(),
  evmVersion: z.string().optional(),
  viaIR: z.boolean().optional(),
  remappings: z.array(z.string().max(1_024)).max(100).optional(),
  libraries: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  debug: z.record(z.string(), z.unknown()).optional(),
  // The request's value is ignored: `compileSource` overwrites it.
  outputSelection: z.unknown().optional(),
});
const standardJson = z.strictObject({
  language: z.literal('Solidity', { error: 'must be Solidity' }),
  sources: z
    .record(sourceName, content)
    .refine((sources) => Object.keys(sources).length > 0, 'must contain at least one source')
    .refine((sources) => Object.keys(sources).length <= maxFiles, `must contain at most ${maxFiles} sources`),
  settings: settings.optional(),
});

/** File name of the source if the request contains plain Solidity. */
const singleSource = 'Contract.sol';

/**
 * Reads sources to compile: Solidity's Standard JSON (an object or a JSON string), or plain Solidity. Sources must contain
 * their content: `urls` are rejected, because nothing is fetched. Returns normalized Standard JSON.
 *
 * @throws Problem `invalid-request`
 */
export function readSource(given: unknown, pointer: string): string {
  const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  if (text === undefined || text.length > maxCharacters) {
    throw refuse(`must contain sources of at most ${maxCharacters} characters in total`);
  }
  const parsed = standardJson.safeParse(parseGiven(given, refuse));
  if (!parsed.success) {
    throw invalidRequest(
      parsed.error.issues.slice(0, 100).map(({ path, message, code }) => ({
        pointer: [
          pointer,
          ...path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
        ].join('/'),
        detail:
          code === 'invalid_key'
            ? 'source names must be relative paths without . and ..'
            : message.charAt(0).toLowerCase() + message.slice(1),
      })),
    );
  }
  return JSON.stringify(parsed.data);
}

function parseGiven(given: unknown, refuse: (detail: string) => Error): unknown {
  if (typeof given !== 'string') return given;
  if (!/^\s*\{/.test(given)) {
    return { language: 'Solidity', sources: { [singleSource]: { content: given } } };
  }
  try {
    // Limits the number of JSON values: parsing five megabytes of small values would take more than a second.
    return parseJson(given);
  } catch {
    throw refuse('must be Standard JSON or Solidity');
  }
}

/** Returns the version of the bundled compiler, read from its package.json without loading it. */
export function bundledCompiler(): string {
  const { version } = z
    .object({ version: z.string() })
    .parse(createRequire(import.meta.url)('solc/package.json'));
  return version;
}

/**
 * @throws Problem `invalid-request` that names both versions, unless the bundled compiler satisfies one of the requested
 * versions
 */
export function checkCompilerVersion(wanted: string | null, pointer: string): void {
  if (wanted === null || wanted === '') return;
  const bundled = bundledCompiler();
  const range = /^v?\d+\.\d+\.\d+\+commit\.[0-9a-f]+/.test(wanted)
    ? wanted.replace(/^v/, '').replace(/\+.*/, '')
    : wanted;
  if (semver.validRange(range) !== null && semver.satisfies(bundled, range)) return;
  const detail = `requests compiler version ${wanted}, but this server has ${bundled}`;
  throw invalidRequest([{ pointer, detail }]);
}
