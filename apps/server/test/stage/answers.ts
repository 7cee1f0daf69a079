import { operations } from '../documents/specification-operations.ts';
import type { Api, Installation, Tenant, Texts } from './api.ts';
import { differencesOfAnswer } from './conformance.ts';

/** Calls an operation of the specification by its name, `GET /v1/things/{id}`, with the ids of existing records. */
export type See = (
  name: string,
  ids?: Readonly<Record<string, string>>,
  body?: unknown,
  query?: string,
) => Promise<Texts>;

export interface Ground {
  readonly here: Installation;
  readonly tenant: Tenant;
  readonly see: See;
  /** Records the response to an operation that was called by other means. */
  hear(name: string, value: unknown): void;
}

/** Compares responses with the types of the service interface (`specification-records.ts`). */
export interface Witness {
  readonly asked: ReadonlySet<string>;
  readonly differences: readonly string[];
  hear(name: string, value: unknown): void;
  /** Returns a function that calls operations as this caller. */
  seeAs(api: Api): See;
}

export function createWitness(): Witness {
  const asked = new Set<string>();
  const differences: string[] = [];

  function find(name: string): (typeof operations)[number] {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    return operation;
  }

  function hear(name: string, value: unknown): void {
    const { answer } = find(name);
    asked.add(name);
    differences.push(...differencesOfAnswer(value, answer).map((what) => `${name}: ${what}`));
  }

  return {
    asked,
    differences,
    hear,
    seeAs:
      (api) =>
      async (name, ids = {}, body = undefined, query = '') => {
        const { method, path, status } = find(name);
        const target = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(ids[id] ?? id));
        const value = await api.expect(status, method, target + query, body);
        hear(name, value);
        return value;
      },
  };
}
