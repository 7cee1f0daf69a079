import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { cloudWalletChecks } from '../cloud-wallet/checks.ts';
import type { CloudWalletHarness } from '../cloud-wallet/harness.ts';
import { runCloudWalletCheck } from '../cloud-wallet/run-check.ts';
import { adapterChecks } from '../conformance/checks/index.ts';
import type { ConformanceHarness } from '../conformance/harness.ts';
import { type CheckResult, runCheck } from '../conformance/run-check.ts';
import type { Configuration } from './configuration.ts';
import { type PluginProcess, readState } from './plugin-process.ts';

/** A check, ready to run. */
export interface Clause {
  name: string;
  /** @throws AssertionError if the check fails */
  prove(): Promise<CheckResult>;
  /** Returns the steps of the last run, the newest last. */
  steps(): readonly string[];
}

/** Reasons for skipping a check, in terms of the command's options. */
const reasonsOfCommand: Readonly<Record<string, string>> = {
  "the harness has no hook 'crash'": 'no command restarts the plugin: --start, --stop, --restart',
  "the harness has no hook 'state'": 'no command reads the ledger: --state',
};

/** Checks of the cloud wallet protocol, for a plugin at a URL. */
export function remoteClauses(
  url: string,
  given: Configuration,
  { plugin, state }: { plugin: PluginProcess | undefined; state: string | undefined },
): Clause[] {
  let steps: string[] = [];
  const harness: CloudWalletHarness = {
    funded: 'by-hook',
    ...given,
    url,
    observe: (step) => void steps.push(step),
    hooks: {
      ...(plugin === undefined ? {} : { crash: () => plugin.crash() }),
      ...(state === undefined ? {} : { state: (account: string) => readState(state, account) }),
    },
    close: async () => undefined,
  };
  return cloudWalletChecks.map((check) => ({
    name: check.name,
    steps: () => steps,
    async prove() {
      steps = [];
      const result = await runCloudWalletCheck(check, async () => harness);
      if (result.status === 'passed') return result;
      return { ...result, reasons: result.reasons.map((reason) => reasonsOfCommand[reason] ?? reason) };
    },
  }));
}

/**
 * Checks of the adapter interface, for a module.
 *
 * @throws Error if the module cannot be loaded or lacks an export
 */
export async function moduleClauses(specifier: string): Promise<Clause[]> {
  const isPath = specifier.startsWith('.') || isAbsolute(specifier) || /\.[cm]?[jt]s$/.test(specifier);
  const location = pathToFileURL(isPath ? fileOf(specifier) : packageOf(specifier)).href;
  const loaded: { default?: AdapterDefinition; openHarness?: () => Promise<ConformanceHarness> } =
    await import(location);
  const { default: definition, openHarness } = loaded;
  if (typeof definition?.open !== 'function') {
    throw new TypeError(
      `${specifier} has no definition as its default export: export default defineAdapter({ … }).`,
    );
  }
  if (typeof openHarness !== 'function') {
    throw new TypeError(`${specifier} does not export the function openHarness.`);
  }
  return adapterChecks.map((check) => ({
    name: check.name,
    steps: () => [],
    prove: () => runCheck(check, definition, openHarness),
  }));
}

/** @throws TypeError if there is no such file */
function fileOf(specifier: string): string {
  const path = resolve(specifier);
  if (!existsSync(path)) throw new TypeError(`There is no file ${specifier}.`);
  return path;
}

/** Resolves from the working directory, not from the folder of this package. @throws TypeError if it is not installed */
function packageOf(specifier: string): string {
  try {
    return createRequire(`${process.cwd()}/`).resolve(specifier);
  } catch {
    throw new TypeError(`The package ${specifier} is not installed in this folder or above.`);
  }
}
