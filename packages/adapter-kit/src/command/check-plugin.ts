import { readArguments, usage } from './arguments.ts';
import { type Clause, moduleClauses, remoteClauses } from './clauses.ts';
import { readConfiguration } from './configuration.ts';
import { createPluginProcess, type PluginProcess } from './plugin-process.ts';
import { type Finding, lines, prove, summarise, summaryLines } from './report.ts';

/** Output of the command, and the signal that stops it. */
export interface CheckOutput {
  out(line: string): void;
  err(line: string): void;
  /** When aborted, stops the plugin that the command started. No further check begins. */
  readonly signal: AbortSignal;
}

/**
 * Runs the kit as `adapter-kit --help` describes. Returns the exit code: 0, 1 for a failed check, 2 for invalid
 * arguments.
 */
export async function checkPlugin(args: readonly string[], output: CheckOutput): Promise<number> {
  let plugin: PluginProcess | undefined;
  const end = () => void plugin?.end();
  output.signal.addEventListener('abort', end, { once: true });
  try {
    const given = readArguments(args);
    if (given.help) {
      output.out(usage);
      return 0;
    }
    const { target, remote, report } = given;
    if (remote === undefined) return await proveAll(await moduleClauses(target), report, output);
    const configuration = readConfiguration(remote.config);
    if (remote.commands !== undefined)
      plugin = createPluginProcess(target, remote.commands, configuration.patience);
    await plugin?.begin();
    return await proveAll(
      remoteClauses(target, configuration, { plugin, state: remote.state }),
      report,
      output,
    );
  } catch (error) {
    output.err(error instanceof Error ? error.message : String(error));
    return 2;
  } finally {
    output.signal.removeEventListener('abort', end);
    await plugin?.end();
  }
}

async function proveAll(
  clauses: readonly Clause[],
  report: 'text' | 'json',
  { out, signal }: CheckOutput,
): Promise<number> {
  const findings: Finding[] = [];
  for (const clause of clauses) {
    signal.throwIfAborted();
    const finding = await prove(clause);
    findings.push(finding);
    if (report === 'text') out(lines(finding));
  }
  const told = summarise(findings);
  if (report === 'json') out(JSON.stringify(told, undefined, 2));
  else out(summaryLines(told));
  return told.failed > 0 || told.passed === 0 ? 1 : 0;
}
