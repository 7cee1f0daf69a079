import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AdapterDefinition, DefinitionMembers } from '@ledger-ops/adapter';
import { adapterError, readDefinition } from '@ledger-ops/adapter';
import { createAnswerReaders, readInterfaceAnswer } from './answers.ts';
import { createEndpoints } from './connections/endpoints.ts';
import { createRedactor } from './redact.ts';
import type { ClosedPath } from './sandbox/closed-paths.ts';
import { findIsolation } from './sandbox/isolation.ts';
import type { IsolationLevel } from './sandbox/launch.ts';
import { packageFolder, readablePaths } from './sandbox/readable-paths.ts';
import { workspaceOf } from './sandbox/workspace.ts';
import { openProxy } from './session-proxy.ts';
import { type Log, type PluginHealth, Supervisor } from './supervisor.ts';
import { defaultTiming, type Timing } from './timing.ts';

/** Settings for running a module in its own process. */
export interface ProcessAdapterOptions {
  /** The module: an absolute path or a `file:` URL. */
  specifier: string;
  /** Name used in errors and logs. Default: the specifier's last part. */
  plugin?: string;
  /**
   * The module's owner, for hosts that serve several tenants. Process starts alternate between tenants, and
   * no tenant uses more than half of the permits (one per processor). Default: the host itself, without this
   * limit.
   */
  tenant?: string;
  /**
   * `best`: isolated if this machine allows it. `required`: fails unless isolated. `restricted`: permission
   * model only. Default: `best`.
   */
  isolation?: 'best' | 'required' | 'restricted';
  /**
   * The module's own folder, which it may read (no symbolic link). Default: the folder of the nearest
   * package.json. A host that loads modules of other parties should set this folder. Otherwise, a
   * package.json above the module could make more files readable.
   */
  folder?: string;
  /**
   * The workspace of the module's package: links in its node_modules may lead to other packages of the workspace.
   * Default: the workspace around its package if `folder` is not set, otherwise none.
   */
  workspace?: string;
  /**
   * Paths that the module must never read. A module is refused if its folder contains one of these paths or
   * is inside one.
   */
  closed?: readonly ClosedPath[];
  /** Additional files and folders that it may read. */
  allowRead?: readonly string[];
  /** Files and folders that it may write. Default: none. */
  allowWrite?: readonly string[];
  /** Resident memory in MB. A process that uses more is ended. Default 512. */
  memoryLimitMb?: number;
  /** Maximum number of bytes of one message in either direction. Default 32 MiB. */
  maxMessageBytes?: number;
  /** Aborts opening, also while it is queued: `unavailable`. No effect once the adapter is open. */
  signal?: AbortSignal;
  /** Overrides of the default times. */
  timing?: Partial<Timing>;
  /** Maximum number of unanswered calls. A process with more is ended. Default 16. */
  maxUnanswered?: number;
  /**
   * Whether errors that the module throws are logged in full: message, stack and causes. They may contain any
   * data that the module has read, so use this only for modules under development. Default: only name and
   * place are logged.
   */
  showThrown?: boolean;
  log: Log;
  /** Called before each start of the process. Returns why the module must not be run; undefined if it may be run. */
  refusal?: () => string | undefined;
  /** Called when its state changes. */
  onHealth?: (health: PluginHealth) => void;
}

/** An adapter whose module runs in a child process. */
export type ProcessAdapter = AdapterDefinition & {
  health(): PluginHealth;
  /**
   * Ends the process and waits until it has exited. Open sessions then fail with `unavailable`. Idempotent.
   */
  close(): Promise<void>;
};

/**
 * Runs an adapter module in a child process: under Node's permission model (it reads its folder and its
 * dependencies, starts nothing, and writes only what is allowed), without this process's environment, with
 * limited memory and a deadline for each call; each answer is validated. A process that hangs, leaks or dies
 * is ended and started again. The process's calls fail with `unavailable` or `timeout`, so that callers
 * repeat them.
 * @throws AdapterError `adapter-fault`, phase `open`: the module cannot be imported, is not an adapter, or
 * was written for another interface version.
 */
export async function openProcessAdapter(options: ProcessAdapterOptions): Promise<ProcessAdapter> {
  const file = fileOf(options.specifier);
  const plugin = options.plugin ?? file.split(/[\\/]/).at(-1) ?? file;
  const workspace = options.workspace ?? (options.folder === undefined ? workspaceAround(file) : undefined);
  const closed = options.closed ?? [];
  const { paths, absent, leftOut } = await readablePaths(plugin, file, options.folder, closed, workspace);
  for (const { dependency, holds } of leftOut) {
    const detail = `The plugin is not allowed to read its dependency ${dependency}, because that would make ${holds} readable.`;
    options.log('warn', 'plugin.dependency-closed', { plugin, detail });
  }
  const redactor = createRedactor();
  const isolation = await levelOf(plugin, options);
  const endpoints = createEndpoints();
  let members: DefinitionMembers | undefined;
  const supervisor = new Supervisor({
    plugin,
    tenant: options.tenant,
    isolation,
    endpoints,
    module: pathToFileURL(file).href,
    readable: [...paths, ...absent.map((path) => `${path}/*`), ...(options.allowRead ?? [])],
    writable: options.allowWrite ?? [],
    memoryLimitMb: options.memoryLimitMb ?? 512,
    maxMessageBytes: options.maxMessageBytes ?? 32 * 1_048_576,
    showThrown: options.showThrown ?? false,
    timing: { ...defaultTiming, ...options.timing },
    maxUnanswered: options.maxUnanswered ?? 16,
    redactor,
    log: options.log,
    onHealth: options.onHealth,
    refusal: options.refusal,
    accept(definition) {
      const read = readDefinition(plugin, definition);
      if (members !== undefined && JSON.stringify(members) !== JSON.stringify(read)) {
        const detail = `The plugin ${plugin} describes itself differently than when it was opened. Deactivate and activate it to use its new description.`;
        throw adapterError('adapter-fault', detail, { phase: 'open' });
      }
      members = read;
    },
  });

  const abort = () => void supervisor.close();
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    if (options.signal?.aborted === true) abort();
    await supervisor.start();
  } catch (error) {
    await supervisor.close();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
  if (members === undefined) throw new TypeError('A process is only ready after it has described itself.');
  const { capabilities, keyType } = members;
  const readers = createAnswerReaders(plugin, keyType);
  let sessions = 0;

  return Object.freeze({
    ...members,
    async readInterface(text: string) {
      const question = { phase: 'interface', what: 'readInterface()' } as const;
      const message = (id: number) => ({ t: 'interface', id, text }) as const;
      const life = supervisor.life('interface');
      return readInterfaceAnswer(plugin, await supervisor.ask(life, { ...question, message }));
    },
    open(...[ledger, host]: Parameters<AdapterDefinition['open']>) {
      redactor.learn(ledger);
      sessions += 1;
      const number = sessions;
      return openProxy({ number, ledger, host, supervisor, readers, redactor, capabilities, endpoints });
    },
    health: () => supervisor.health(),
    close: () => supervisor.close(),
  });
}

function workspaceAround(file: string): string | undefined {
  const folder = packageFolder(file);
  return folder === undefined ? undefined : workspaceOf(folder);
}

/** @throws AdapterError `adapter-fault` if the required isolation is unavailable */
async function levelOf(
  plugin: string,
  { isolation: wanted = 'best', log }: Pick<ProcessAdapterOptions, 'isolation' | 'log'>,
): Promise<IsolationLevel> {
  if (wanted === 'restricted') return wanted;
  const isolation = await findIsolation();
  if (isolation.level === 'isolated') return isolation.level;
  if (wanted === 'required') {
    const detail = `The plugin ${plugin} was not started, because it cannot be isolated on this machine (${isolation.why}).`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  log('warn', 'plugin.restricted', {
    plugin,
    detail: `The plugin is not isolated on this machine: ${isolation.why}.`,
  });
  return isolation.level;
}

/** @throws AdapterError `adapter-fault` if there is no such file */
function fileOf(specifier: string): string {
  const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier;
  if (!isAbsolute(path)) throw new TypeError(`${specifier} is neither an absolute path nor a file URL.`);
  try {
    return realpathSync(path);
  } catch (cause) {
    throw adapterError('adapter-fault', `There is no module at ${path}.`, { phase: 'open', cause });
  }
}
