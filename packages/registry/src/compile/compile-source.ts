import { z } from 'zod';
import type { FoundImport } from './find-import.ts';
import type { CompileRequest, CompileResult, CompilerMessage } from './types.ts';

/** The part of solc's API that this module uses. */
export interface Solc {
  version(): string;
  compile(input: string, callbacks: { import: (path: string) => FoundImport }): string;
}

const links = z.record(z.string(), z.record(z.string(), z.unknown()));
const output = z.object({
  errors: z
    .array(
      z.object({
        severity: z.string(),
        message: z.string(),
        formattedMessage: z.string().optional(),
        sourceLocation: z.object({ file: z.string() }).optional(),
      }),
    )
    .optional(),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.unknown()),
          evm: z.object({ bytecode: z.object({ object: z.string(), linkReferences: links.optional() }) }),
        }),
      ),
    )
    .optional(),
});
type Contract = NonNullable<z.infer<typeof output>['contracts']>[string][string];

const maxMessages = 500;

/** Compiles sources and picks the contract to deploy. Blocks the calling thread. */
export function compileSource(
  solc: Solc,
  { source, target }: CompileRequest,
  findImport: (path: string) => FoundImport,
): CompileResult {
  const compilerVersion = solc.version();
  const input = z.record(z.string(), z.unknown()).parse(JSON.parse(source));
  const own = Object.keys(z.record(z.string(), z.unknown()).parse(input.sources));
  const wanted = { '*': ['abi', 'evm.bytecode.object', 'evm.bytecode.linkReferences'] };
  const settings = {
    ...z.record(z.string(), z.unknown()).parse(input.settings ?? {}),
    // No output is selected for imported sources, so solc compiles only what the request's own sources need.
    outputSelection: Object.fromEntries(own.map((file) => [file, wanted])),
  };
  const made = output.parse(
    JSON.parse(solc.compile(JSON.stringify({ ...input, settings }), { import: findImport })),
  );
  const messages = (made.errors ?? []).slice(0, maxMessages).map(messageOf);
  const fail = (...more: string[]): CompileResult => ({
    ok: false,
    compilerVersion,
    messages: [...messages, ...more.map((message) => ({ ...nowhere, severity: 'error' as const, message }))],
  });
  if (messages.some(({ severity }) => severity === 'error')) return fail();

  const contracts = own.flatMap((file) =>
    Object.entries(made.contracts?.[file] ?? {}).map(([name, contract]) => ({ file, name, contract })),
  );
  const deployable = contracts.filter(({ contract }) => contract.evm.bytecode.object !== '');
  const named =
    target === null
      ? deployable
      : contracts.filter(({ file, name }) => target === name || target === `${file}:${name}`);
  const [found, another] = named;
  const choice = deployable.map(({ file, name }) => `${file}:${name}`).join(', ') || 'none';
  if (found === undefined) {
    return fail(
      target === null
        ? 'The sources contain no deployable contract.'
        : `The sources contain no contract ${target}. Deployable contracts: ${choice}.`,
    );
  }
  if (another !== undefined) {
    return fail(
      `The sources contain several contracts. Set the target to one of them, as <file>:<contract>: ${choice}.`,
    );
  }
  if (found.contract.evm.bytecode.object === '') {
    return fail(
      `${found.name} has no creation code because it is abstract or an interface. Choose a deployable contract.`,
    );
  }
  const unlinked = unlinkedOf(found.contract);
  if (unlinked.length > 0) {
    return fail(
      ...unlinked.map(
        (name) =>
          `${found.name} needs the library ${name}, which is not linked. Deploy the library and put its address in settings.libraries.`,
      ),
    );
  }
  return {
    ok: true,
    contract: `${found.file}:${found.name}`,
    abi: JSON.stringify(found.contract.abi),
    bytecode: `0x${found.contract.evm.bytecode.object}`,
    compilerVersion,
    messages,
  };
}

const nowhere = { file: null, line: null, column: null };

function unlinkedOf({ evm }: Contract): string[] {
  return Object.entries(evm.bytecode.linkReferences ?? {}).flatMap(([file, libraries]) =>
    Object.keys(libraries).map((name) => `${file}:${name}`),
  );
}

function messageOf(error: NonNullable<z.infer<typeof output>['errors']>[number]): CompilerMessage {
  const place = /^\s*--> (.+):(\d+):(\d+):\s*$/m.exec(error.formattedMessage ?? '');
  const severity = error.severity === 'warning' || error.severity === 'info' ? error.severity : 'error';
  const message = error.message.slice(0, 4_096);
  if (place === null) return { ...nowhere, severity, file: error.sourceLocation?.file ?? null, message };
  const [, file = '', line, column] = place;
  return { severity, file, line: Number(line), column: Number(column), message };
}
