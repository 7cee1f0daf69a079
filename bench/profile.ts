// Reads CPU profiles that V8 writes with `--cpu-prof`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** A sampled stack. Times are in microseconds. */
export interface Sample {
  /** Frames, the innermost first. Equal stacks are the same object. */
  readonly stack: readonly Frame[];
  /** Time since the previous sample. */
  readonly took: number;
  /** Time of the sample. On Linux it is comparable with `process.hrtime`. */
  readonly at: number;
}

interface Profile {
  nodes: { id: number; callFrame: Frame; children?: number[] }[];
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

/**
 * Returns the samples of the busiest process, without those in which it was idle.
 *
 * @param folder folder with the profiles of all processes
 */
export function samplesOfBusiest(folder: string): Sample[] {
  const all = readdirSync(folder).map((file) => samplesOf(join(folder, file)));
  const busy = (samples: readonly Sample[]) => samples.reduce((sum, { took }) => sum + took, 0);
  const [busiest] = all.toSorted((a, b) => busy(b) - busy(a));
  if (busiest === undefined) throw new Error('The server wrote no profile.');
  return busiest;
}

function samplesOf(file: string): Sample[] {
  const { nodes, startTime, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const stackOf = (id: number): Frame[] => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = frames.get(at);
      if (frame !== undefined) stack.push(frame);
    }
    return stack;
  };
  const stacks = new Map(nodes.map(({ id }) => [id, stackOf(id)]));
  let at = startTime;
  return samples.flatMap((id, index) => {
    const took = timeDeltas[index] ?? 0;
    at += took;
    const stack = stacks.get(id);
    return stack === undefined || stack[0]?.functionName === '(idle)' ? [] : [{ stack, took, at }];
  });
}
