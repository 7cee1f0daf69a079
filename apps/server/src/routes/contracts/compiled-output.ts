import { invalidRequest, Problem } from '@ledger-ops/base';
import { JsonError, parseJsonInSlices } from '@ledger-ops/glo-core';
import { pause } from '../../http/pause.ts';

/** A compiler's output, as far as a deployment needs it. */
export interface CompiledOutput {
  /** Interface, JSON text. */
  interface: string;
  /** Creation code, `0x` hex; or in the form of its technology. */
  code: string;
  /** The whole as it was given, JSON text. */
  text: string;
}

/**
 * Reads compiled output: an object, or its JSON text, with the interface in `abi` or `interface` and the creation
 * code in `bytecode`, `bytecode.object`, `evm.bytecode.object` or `code`, as solc, Hardhat and Foundry write it.
 *
 * @throws Problem with pointers below `pointer`
 */
export async function readCompiledOutput(given: unknown, pointer: string): Promise<CompiledOutput> {
  const text = textOf(given, pointer);
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
      : [{ pointer: `${pointer}/abi`, detail: 'is required: the interface as the compiler wrote it' }]),
    ...(typeof code === 'string' && isCode(code)
      ? []
      : [{ pointer: `${pointer}/bytecode`, detail: 'is required: linked creation code in hexadecimal' }]),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  const hex = String(code);
  return {
    interface: typeof abi === 'string' ? abi : JSON.stringify(abi),
    code: hex.startsWith('0x') ? hex : `0x${hex}`,
    text,
  };
}

/**
 * Reads code that is no bytecode: a text, or an object (or its JSON text) with it in a member, `package` for one, and,
 * where it is known, the contract's interface in `interface`.
 *
 * @throws Problem with pointers below `pointer`
 */
export async function readTextOutput(
  given: unknown,
  pointer: string,
  name: 'package' | 'code',
): Promise<CompiledOutput> {
  if (typeof given === 'string' && !/^\s*\{/.test(given)) return { interface: '', code: given, text: '' };
  const value = typeof given === 'string' ? await parse(given, pointer) : given;
  const member = (its: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, its) : undefined;
  const code = member(name);
  if (typeof code !== 'string') {
    const detail =
      name === 'package' ? 'is required: the package (.tar.gz) in base64' : 'is required: compiled code';
    throw invalidRequest([{ pointer: `${pointer}/${name}`, detail }]);
  }
  const metadata = member('interface') ?? '';
  return { interface: typeof metadata === 'string' ? metadata : JSON.stringify(metadata), code, text: '' };
}

/** Characters of compiled output, as of sources. */
const maxOutput = 5_242_880;

function textOf(given: unknown, pointer: string): string {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  if (text.length <= maxOutput) return text;
  throw invalidRequest([{ pointer, detail: `must be compiled output of at most ${maxOutput} characters` }]);
}

/** One class after the other: a repeated group would take a step of the stack for each byte. */
function isCode(code: string): boolean {
  return code.length > 2 && code.length % 2 === 0 && /^(?:0x)?[0-9a-fA-F]+$/.test(code);
}

async function parse(text: string, pointer: string): Promise<unknown> {
  try {
    return await parseJsonInSlices(text, pause);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const detail = `is no JSON text: ${error.detail}`;
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
