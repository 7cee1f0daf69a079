import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { createAnswerReaders, readInterfaceAnswer } from './answers.ts';
import { createEndpoints } from './connections/endpoints.ts';
import { type DefinitionMembers, readDefinition } from './definition.ts';
import { createRedactor } from './redact.ts';
import type { ClosedPath } from './sandbox/closed-paths.ts';
import { findIsolation } from './sandbox/isolation.ts';
import type { IsolationLevel } from './sandbox/launch.ts';
import { packageFolder, readablePaths } from './sandbox/readable-paths.ts';
import { workspaceOf } from './sandbox/workspace.ts';
import { openProxy } from './session-proxy.ts';
import { createSupervisor, type Log, type PluginHealth } from './supervisor.ts';
import { defaultTiming, type Timing } from './timing.ts';

/** How a module is run in a process of its own. */
export interface ProcessAdapterOptions {
  /** The module: an absolute path or a `file:` URL. */
  specifier: string;
  /** The name by which errors and logs call it. Default: the specifier's last part. */
  plugin?: string;
  /**
   * `best`: as well shut off as this machine allows. `required`: isolated, or not at all. `restricted`: never better
   * than that. Default: `best`.
   */
  isolation?: 'best' | 'required' | 'restricted';
  /**
   * The module's own folder, which it may read: not through links. Default: that of its package, which is the nearest
   * folder upwards with a package.json. A host that loads what others wrote gives it, so that no package.json above the
   * place of the modules opens more.
   */
  folder?: string;
  /**
   * The workspace that the module's own folder is a package of: links in its node_modules may lead to the others there,
   * beside packages that are installed. Default: the one around its package where no `folder` is given, else none.
   */
  workspace?: string;
  /** Paths that it may not read in any case: a module whose folder holds something of it, or lies in it, is refused. */
  closed?: readonly ClosedPath[];
  /** Files and folders that it may read beside its own folder and the packages that it depends on. */
  allowRead?: readonly string[];
  /** Files and folders that it may write. Default: none. */
  allowWrite?: readonly string[];
  /** Resident memory in MB above which its process is ended. Default 512. */
  memoryLimitMb?: number;
  /** Bytes of one message, either way. Default 32 MiB. */
  maxMessageBytes?: number;
  /** Times other than the usual ones. */
  timing?: Partial<Timing>;
  /** Calls without an answer after which its process is ended. Default 16. */
  maxUnanswered?: number;
  /**
   * Whether what the module throws is told in the log in full, as output of its process: words, stack and causes. They may hold
   * whatever the module has read: for modules that one develops oneself. Default: its name and place alone.
   */
  showThrown?: boolean;
  log: Log;
  /** Called when its state changes. */
  onHealth?: (health: PluginHealth) => void;
}

/** An adapter whose module runs in a child process. */
export type ProcessAdapter = AdapterDefinition & {
  health(): PluginHealth;
  /** Ends the process and waits until it is gone. Open sessions then say `unavailable`. Idempotent. */
  close(): Promise<void>;
};

/**
 * Runs an adapter module in a child process: under Node's permission model (it reads its own folder and its
 * dependencies, starts nothing, and writes what it is allowed), without this process's environment, its memory watched, each
 * call with a deadline, each answer checked. A process that hangs, leaks or dies is ended and started again;
 * its calls fail with `unavailable` or `timeout`, so that they are made again.
 * @throws AdapterError `adapter-fault`, phase `open`: the module cannot be imported, is no adapter, or was
 * written for another version of the interface.
 */
export async function openProcessAdapter(options: ProcessAdapterOptions): Promise<ProcessAdapter> {
  const file = fileOf(options.specifier);
  const plugin = options.plugin ?? file.split(/[\\/]/).at(-1) ?? file;
  const workspace = options.workspace ?? (options.folder === undefined ? workspaceAround(file) : undefined);
  const closed = options.closed ?? [];
  const { paths, absent, leftOut } = await readablePaths(plugin, file, options.folder, closed, workspace);
  for (const { dependency, holds } of leftOut) {
    const detail = `It may not read its dependency ${dependency}, through which there are ${holds}.`;
    options.log('warn', 'plugin.dependency-closed', { plugin, detail });
  }
  const redactor = createRedactor();
  const isolation = await levelOf(plugin, options);
  const endpoints = createEndpoints();
  let members: DefinitionMembers | undefined;
  const supervisor = createSupervisor({
    plugin,
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
    accept(definition) {
      const read = readDefinition(plugin, definition);
      if (members !== undefined && JSON.stringify(members) !== JSON.stringify(read)) {
        const detail = `The plugin ${plugin} says something else of itself than when it was opened.`;
        throw adapterError('adapter-fault', detail, { phase: 'open' });
      }
      members = read;
    },
  });

  try {
    await supervisor.start();
  } catch (error) {
    await supervisor.close();
    throw error;
  }
  if (members === undefined) throw new TypeError('A process that is ready has said what it is.');
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
    health: supervisor.health,
    close: supervisor.close,
  });
}

function workspaceAround(file: string): string | undefined {
  const folder = packageFolder(file);
  return folder === undefined ? undefined : workspaceOf(folder);
}

/** @throws AdapterError `adapter-fault` when what is required cannot be had */
async function levelOf(
  plugin: string,
  { isolation: wanted = 'best', log }: Pick<ProcessAdapterOptions, 'isolation' | 'log'>,
): Promise<IsolationLevel> {
  if (wanted === 'restricted') return wanted;
  const isolation = await findIsolation();
  if (isolation.level === 'isolated') return isolation.level;
  if (wanted === 'required') {
    const detail = `The plugin ${plugin} is not started: it cannot be isolated on this machine (${isolation.why}).`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  log('warn', 'plugin.restricted', {
    plugin,
    detail: `It is not isolated on this machine: ${isolation.why}.`,
  });
  return isolation.level;
}

/** @throws AdapterError `adapter-fault` when there is no such file */
function fileOf(specifier: string): string {
  const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier;
  if (!isAbsolute(path)) throw new TypeError(`${specifier} is neither an absolute path nor a file URL.`);
  try {
    return realpathSync(path);
  } catch (cause) {
    throw adapterError('adapter-fault', `There is no module at ${path}.`, { phase: 'open', cause });
  }
}
