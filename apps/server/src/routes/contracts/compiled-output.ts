import { invalidRequest, Problem } from '@ledger-ops/base';
import { JsonError, parseJsonInSlices } from '@ledger-ops/glo-core';
import { pause } from '../../http/pause.ts';

/** The parts of compiler output that a deployment needs. */
export interface CompiledOutput {
  /** Interface as a JSON string. */
  interface: string;
  /** Creation code as a `0x` hexadecimal string, or in the format of its technology. */
  code: string;
}

/**
 * Reads compiler output: an object or its JSON text, with the interface in `abi` or `interface` and the creation
 * code in `bytecode`, `bytecode.object`, `evm.bytecode.object` or `code`, as written by solc, Hardhat and Foundry.
 *
 * @throws Problem with pointers below `pointer`
 */
export async function readCompiledOutput(given: unknown, pointer: string): Promise<CompiledOutput> {
  demandShort(given, pointer);
  const value = typeof given === 'string' ? await parse(given, pointer) : given;
  const abi = firstOf(value, [['abi'], ['interface']]);
  const code = firstOf(value, [
    ['evm', 'bytecode', 'object'],
    ['bytecode', 'object'],
    ['bytecode'],
    ['code'],
  ]);
  const issues = [
    ...(typeof abi === 'string' || Array.isArray(abi)
      ? []
      : [{ pointer: `${pointer}/abi`, detail: 'must be the contract’s interface from the compiler' }]),
    ...(typeof code === 'string' && isCode(code)
      ? []
      : [{ pointer: `${pointer}/bytecode`, detail: 'must be linked creation code in hexadecimal' }]),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  const hex = String(code);
  return {
    interface: typeof abi === 'string' ? abi : JSON.stringify(abi),
    code: hex.startsWith('0x') ? hex : `0x${hex}`,
  };
}

/**
 * Reads code that is not bytecode: text, or an object (or its JSON text) with the code in the member `name` and
 * optionally the contract's interface in `interface`.
 *
 * @throws Problem with pointers below `pointer`
 */
export async function readTextOutput(
  given: unknown,
  pointer: string,
  name: 'package' | 'code',
): Promise<CompiledOutput> {
  if (typeof given === 'string' && !/^\s*\{/.test(given)) return { interface: '', code: given };
  const value = typeof given === 'string' ? await parse(given, pointer) : given;
  const member = (its: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, its) : undefined;
  const code = member(name);
  if (typeof code !== 'string') {
    const detail =
      name === 'package' ? 'must be the package (.tar.gz) in base64' : 'must be the compiled code';
    throw invalidRequest([{ pointer: `${pointer}/${name}`, detail }]);
  }
  const metadata = member('interface') ?? '';
  return { interface: typeof metadata === 'string' ? metadata : JSON.stringify(metadata), code };
}

/** Maximum characters of compiled output; the same as for sources. */
const maxOutput = 5_242_880;

function demandShort(given: unknown, pointer: string): void {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  if (text.length <= maxOutput) return;
  throw invalidRequest([{ pointer, detail: `must be compiled output of at most ${maxOutput} characters` }]);
}

/** A single character class: a repeated group would need a stack frame per byte. */
function isCode(code: string): boolean {
  return code.length > 2 && code.length % 2 === 0 && /^(?:0x)?[0-9a-fA-F]+$/.test(code);
}

async function parse(text: string, pointer: string): Promise<unknown> {
  try {
    return await parseJsonInSlices(text, pause);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const detail = `is not JSON text: ${error.detail}`;
    throw new Problem('invalid-request', `${pointer} ${detail}.`, {
      errors: [{ pointer, detail }],
      cause: error,
    });
  }
}

function firstOf(value: unknown, paths: readonly (readonly string[])[]): unknown {
  for (const path of paths) {
    let found = value;
    for (const part of path) {
      found = typeof found === 'object' && found !== null ? Reflect.get(found, part) : undefined;
    }
    if (typeof found === 'string' || Array.isArray(found)) return found;
  }
  return undefined;
}
