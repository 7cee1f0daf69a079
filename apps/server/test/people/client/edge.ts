import { EdgeVM } from '@edge-runtime/vm';
import { bundled } from './bundled.ts';

/** As the stand-in has it, whose own keeps this process for all of its time, whatever came of the request. */
const timeouts = `
  const timeouts = [];
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    const end = () => controller.abort(new DOMException('The operation timed out.', 'TimeoutError'));
    timeouts.push(setTimeout(end, milliseconds));
    return controller.signal;
  };`;

/** Calls `cases[name](argument)` of a module of ours where there are web APIs, and nothing of Node. */
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
