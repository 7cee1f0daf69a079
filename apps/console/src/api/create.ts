import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiProblem, call } from './client.ts';

/**
 * Creates a record exactly once, even if the request is sent again. Until the service responds, the same body
 * is sent with the same Idempotency-Key, even after connection failures.
 */
export function useOnce(): <Answer>(path: string, body: object | undefined) => Promise<Answer> {
  const keys = useRef(new Map<string, string>());
  return async (path, body) => {
    const text = path + JSON.stringify(body);
    const earlier = keys.current.get(text);
    const key = earlier ?? crypto.randomUUID();
    keys.current.set(text, key);
    const forget = () => keys.current.delete(text);
    try {
      const answer = await call<never>('POST', path, { body, idempotencyKey: key });
      forget();
      return answer;
    } catch (error) {
      // A 4xx response is final, unless an earlier request with the same key has no response. After any other
      // error, it is unknown whether the record was created.
      if (earlier === undefined && error instanceof ApiProblem && error.problem.status < 500) forget();
      throw error;
    }
  };
}

/** Returns a mutation that creates something with {@link useOnce}. */
export function useCreation<Answer>(path: string, onSuccess: (answer: Answer) => unknown) {
  const once = useOnce();
  return useMutation({
    mutationFn: (body: object | undefined) => once<Answer>(path, body),
    onSuccess,
  });
}
