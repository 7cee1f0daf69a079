import { EdgeVM } from '@edge-runtime/vm';
import { bundled } from './bundled.ts';

/** Replaces `AbortSignal.timeout`, whose timers in the edge runtime would keep this process alive. */
const timeouts = `
  const timeouts = [];
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    const end = () => controller.abort(new DOMException('The operation timed out.', 'TimeoutError'));
    timeouts.push(setTimeout(end, milliseconds));
    return controller.signal;
  };`;

/** Calls `cases[name](argument)` of a module in an environment with web APIs and without Node. */
export async function openEdge(module: URL): Promise<Edge> {
  const edge = new EdgeVM();
  edge.evaluate(timeouts);
  edge.evaluate(await bundled(module));
  return {
    run: async (name, argument) =>
      await edge.evaluate<Promise<void>>(`suite.cases[${JSON.stringify(name)}](${JSON.stringify(argument)})`),
    close: () => edge.evaluate('timeouts.forEach((timeout) => clearTimeout(timeout))'),
  };
}

export interface Edge {
  run(name: string, argument: unknown): Promise<void>;
  close(): void;
}
