import type { CodeForm, SpecificationInput } from '@ledger-ops/registry';
import { readCompiledOutput, readTextOutput } from './compiled-output.ts';

/** The part of a version that is its code. */
export type VersionCode = Pick<SpecificationInput, 'compiled' | 'preCompilationSpecification'>;

/**
 * Code of a new version, whichever it is: sources, what a compiler wrote, or a package.
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
  if (isSource(code)) return { preCompilationSpecification: code };
  return { compiled: await readCompiledOutput(code, pointer) };
}

/** Solidity, or Standard JSON for the compiler; not what a compiler wrote. */
function isSource(given: string | Record<string, unknown>): boolean {
  if (typeof given === 'string')
    return !/^\s*\{/.test(given) || /^\s*\{\s*"(?:language|sources)"/.test(given);
  return 'sources' in given && 'language' in given;
}
