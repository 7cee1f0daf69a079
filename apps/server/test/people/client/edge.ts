import { EdgeVM } from '@edge-runtime/vm';
import { bundled } from './bundled.ts';

/** Calls `cases[name](argument)` of a module of ours where there are web APIs, and nothing of Node. */
export async function openEdge(
  module: URL,
): Promise<{ run(name: string, argument: unknown): Promise<void> }> {
  const edge = new EdgeVM();
  edge.evaluate(await bundled(module));
  return {
    run: async (name, argument) =>
      await edge.evaluate<Promise<void>>(`suite.cases[${JSON.stringify(name)}](${JSON.stringify(argument)})`),
  };
}
