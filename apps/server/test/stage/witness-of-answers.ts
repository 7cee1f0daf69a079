// Validates every response that a test receives: the OpenAPI document must describe its status and body.
import { afterAll, afterEach, expect } from 'vitest';
import { hear, takeHeard } from './heard.ts';
import { openWitness } from './witness.ts';

export function startWitness(): void {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await original(input, init);
    const request = input instanceof Request ? input : undefined;
    // Responses of other servers that tests start have neither of these headers, and the console's page has only one.
    const isOurs = response.headers.has('x-request-id') && response.headers.has('x-frame-options');
    if (isOurs) hear(init?.method ?? request?.method ?? 'GET', request?.url ?? String(input), response);
    return response;
  };

  // Runs last: restores `fetch` for the next test file, which runs in the same process.
  afterAll(() => {
    globalThis.fetch = original;
  });
  afterEach(lookAtHeard);
  afterAll(lookAtHeard);
}

async function lookAtHeard(): Promise<void> {
  const answers = takeHeard();
  if (answers.length === 0) return;
  const witness = await openWitness();
  const faults = await Promise.all(answers.map(async (one) => witness.faultsOf(one, await one.body)));
  expect([...new Set(faults.flat())], 'responses that the document does not describe').toEqual([]);
}
