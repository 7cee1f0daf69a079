import type { Schemas } from '../api/types.ts';
import { type CompiledContract, compiledContractsIn } from './compiled-contracts.ts';

type Templates = NonNullable<Schemas['LedgerTechnologyDescription']['templates']>;

/** Files that people have for a technology. */
export interface CodeFiles {
  readonly label: string;
  readonly hint: string;
  /** Endings of their names, as a file chooser filters by them. */
  readonly accept: string;
  /** Sources may be several files. */
  readonly several: boolean;
  /** The interface comes in a file of its own: code does not hold it. */
  readonly hasInterface: boolean;
}

export function filesOf({ code, package: isPackage, languages = [] }: Templates): CodeFiles {
  if (isPackage === true) {
    const about = { label: 'Package', hint: 'A package as the ledger’s own tools make it.' };
    return { ...about, accept: '.tar.gz,.tgz,.gz', several: false, hasInterface: true };
  }
  if (code.format !== 'hex') {
    const about = { label: 'Compiled code', hint: 'The program as its compiler wrote it, such as an ELF.' };
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

/** Faults for a person to mend in the files that they chose. */
export class FileError extends Error {}

/** Whether files are compiled first, so that one of several contracts may have to be named. */
export function isSources(files: readonly File[]): boolean {
  return files.some(({ name }) => name.endsWith('.sol'));
}

/** The contracts of a compiler's output that can be deployed; none where a file is anything else. */
export async function deployableIn(file: File): Promise<CompiledContract[]> {
  if (!file.name.endsWith('.json')) return [];
  return compiledContractsIn(await file.text()).filter(({ bytecode }) => bytecode !== '');
}

/**
 * Reads files as a version's code, in the form of a request.
 * @param contract which one of {@link deployableIn}, where there are several
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
    if (files.length > 1) throw new FileError('Several files are taken of sources alone, in Solidity.');
    const contracts = await deployableIn(first);
    if (contracts.length === 0) return await first.text();
    const one = contracts.find(({ name }) => name === contract || contracts.length === 1);
    if (one === undefined) throw new FileError('Choose one of its contracts.');
    return { abi: one.abi, bytecode: one.bytecode };
  }
  const other = files.find(({ name }) => !name.endsWith('.sol'));
  if (other !== undefined) throw new FileError(`${other.name} is no Solidity, as the other files are.`);
  if (files.length === 1) return await first.text();
  const sources = await Promise.all(
    files.map(async (file) => [file.name, { content: await file.text() }] as const),
  );
  return { language: 'Solidity', sources: Object.fromEntries(sources) };
}

/** In parts: a call does not take as many arguments as a package has bytes. */
function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return btoa(text);
}
