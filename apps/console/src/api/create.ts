import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiProblem, call } from './client.ts';

/**
 * Sends what creates something, once however often it is sent: the same body goes with the same Idempotency-Key until it
 * is answered, whatever the connection does meanwhile.
 */
export function useOnce(): <Answer>(path: string, body: object | undefined) => Promise<Answer> {
  const keys = useRef(new Map<string, string>());
  return async (path, body) => {
    const text = path + JSON.stringify(body);
    const key = keys.current.get(text) ?? crypto.randomUUID();
    keys.current.set(text, key);
    const forget = () => keys.current.delete(text);
    try {
      const answer = await call<never>('POST', path, { body, idempotencyKey: key });
      forget();
      return answer;
    } catch (error) {
      // A refusal is an answer. Of anything else nobody knows whether it happened.
      if (error instanceof ApiProblem && error.problem.status < 500) forget();
      throw error;
    }
  };
}

/** A request that creates something, by {@link useOnce}. */
export function useCreation<Answer>(path: string, onSuccess: (answer: Answer) => unknown) {
  const once = useOnce();
  return useMutation({
    mutationFn: (body: object | undefined) => once<Answer>(path, body),
    onSuccess,
  });
}
