import { useMutation } from '@tanstack/react-query';
import { ApiProblem, call } from './client.ts';
import { queries } from './queries.ts';
import type { Schemas } from './types.ts';
import { forgetUnanswered, keepUnanswered, nameOfSend, unansweredSend } from './unanswered.ts';

type Body = { readonly walletPassword: string } & Readonly<Record<string, unknown>>;

/**
 * Returns a mutation that sends an operation exactly once. Until the service responds, the same content is
 * sent with the same Idempotency-Key, even after the page is reloaded. The password is not part of the
 * content.
 */
export function useSend(onSuccess: (accepted: Schemas['ActionCreated']) => unknown) {
  return useMutation({
    mutationFn: sendOnce,
    onSuccess,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['unanswered'] }),
  });
}

async function sendOnce(body: Body): Promise<Schemas['ActionCreated']> {
  const { walletPassword: _, ...content } = body;
  const name = await nameOfSend(content);
  const earlier = unansweredSend(name);
  const { key } = earlier ?? { key: crypto.randomUUID() };
  // Stored before it is sent: the page may be closed before the response.
  if (earlier === null) keepUnanswered(name, { key, since: Date.now() });
  try {
    const accepted = await call<Schemas['ActionCreated']>('POST', '/v1/ledger-ops/send', {
      body,
      idempotencyKey: key,
    });
    forgetUnanswered(name);
    return accepted;
  } catch (error) {
    // A refusal is final, unless an earlier request with the key has no response. Then the server refused
    // only the retry.
    if (earlier === null && error instanceof ApiProblem && error.problem.status < 500) forgetUnanswered(name);
    throw error;
  }
}
