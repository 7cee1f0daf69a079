import type { Schemas } from '../api/types.ts';
import { type CompiledContract, compiledContractsIn } from './compiled-contracts.ts';

type Templates = NonNullable<Schemas['LedgerTechnologyDescription']['templates']>;

/** Files that a technology accepts as template code. */
export interface CodeFiles {
  readonly label: string;
  readonly hint: string;
  /** File name extensions for the file chooser's filter. */
  readonly accept: string;
  readonly several: boolean;
  /** Whether the interface is in a separate file. */
  readonly hasInterface: boolean;
}

export function filesOf({ code, package: isPackage, languages = [] }: Templates): CodeFiles {
  if (isPackage === true) {
    const about = { label: 'Package', hint: 'A package created with the ledger’s own tools.' };
    return { ...about, accept: '.tar.gz,.tgz,.gz', several: false, hasInterface: true };
  }
  if (code.format !== 'hex') {
    const about = {
      label: 'Compiled code',
      hint: 'The program as written by its compiler, for example an ELF file.',
    };
    return { ...about, accept: '.so,.elf,.bin,.wasm,.json', several: false, hasInterface: true };
  }
  const isCompiledHere = languages.includes('Solidity');
  return {
    label: isCompiledHere ? 'Sources or compiled output' : 'Compiled output',
    hint: isCompiledHere
      ? 'Solidity, one file or several, with imports from @openzeppelin/contracts; Standard JSON; or JSON of solc, Hardhat or Foundry.'
      : 'JSON with the interface and the bytecode.',
    accept: isCompiledHere ? '.sol,.json' : '.json',
    several: isCompiledHere,
    hasInterface: false,
  };
}

/** An error in the chosen files that the user can fix. */
export class FileError extends Error {}

/**
 * Whether the files are source code. Sources are compiled first and may contain several contracts, of which the user
 * chooses one.
 */
export function isSources(files: readonly File[]): boolean {
  return files.some(({ name }) => name.endsWith('.sol'));
}

/** Returns the deployable contracts in a compiler's output; empty for any other file. */
export async function deployableIn(file: File): Promise<CompiledContract[]> {
  if (!file.name.endsWith('.json')) return [];
  return compiledContractsIn(await file.text()).filter(({ bytecode }) => bytecode !== '');
}

/**
 * Reads files into a template version's code for the request.
 * @param contract the chosen one, if {@link deployableIn} returns several
 * @throws FileError
 */
export async function readTemplateCode(
  templates: Templates,
  files: readonly File[],
  interfaceFile: File | undefined,
  contract = '',
): Promise<string | object> {
  const [first] = files;
  if (first === undefined) throw new FileError('Choose a file.');
  if (filesOf(templates).hasInterface) {
    const member = templates.package === true ? 'package' : 'code';
    const code = base64Of(new Uint8Array(await first.arrayBuffer()));
    const about = interfaceFile === undefined ? {} : { interface: await interfaceFile.text() };
    return { [member]: code, ...about };
  }
  if (!isSources(files)) {
    if (files.length > 1) throw new FileError('Choose several files only for Solidity sources.');
    const contracts = await deployableIn(first);
    if (contracts.length === 0) return await first.text();
    const one = contracts.find(({ name }) => name === contract || contracts.length === 1);
    if (one === undefined) throw new FileError('Choose one of the contracts in the file.');
    return { abi: one.abi, bytecode: one.bytecode };
  }
  const other = files.find(({ name }) => !name.endsWith('.sol'));
  if (other !== undefined) throw new FileError(`${other.name} is not Solidity, unlike the other files.`);
  if (files.length === 1) return await first.text();
  const sources = await Promise.all(
    files.map(async (file) => [file.name, { content: await file.text() }] as const),
  );
  return { language: 'Solidity', sources: Object.fromEntries(sources) };
}

/** Converts in chunks, because a function call cannot have as many arguments as a package has bytes. */
function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return btoa(text);
}
