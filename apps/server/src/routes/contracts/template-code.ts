import type { CodeForm, SpecificationInput } from '@ledger-ops/registry';
import { readCompiledOutput, readTextOutput } from './compiled-output.ts';

/** The compiled code or the sources of a template version. */
export type VersionCode = Pick<SpecificationInput, 'compiled' | 'sources'>;

/**
 * Reads the code of a new version: sources, compiler output or a package.
 *
 * @throws Problem with pointers below `pointer`
 */
export async function codeOf(
  code: string | Record<string, unknown>,
  form: CodeForm,
  pointer: string,
): Promise<VersionCode> {
  if (form !== 'bytecode')
    return { compiled: await readTextOutput(code, pointer, form === 'package' ? 'package' : 'code') };
  if (isSource(code)) return { sources: code };
  return { compiled: await readCompiledOutput(code, pointer) };
}

/** Whether the content is Solidity or Standard JSON input, rather than compiler output. */
function isSource(given: string | Record<string, unknown>): boolean {
  if (typeof given === 'string')
    return !/^\s*\{/.test(given) || /^\s*\{\s*"(?:language|sources)"/.test(given);
  return 'sources' in given && 'language' in given;
}
