import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiProblem, call } from './client.ts';

/**
 * A request that creates something, once however often it is sent: the same body goes with the same Idempotency-Key
 * until it is answered, whatever the connection does meanwhile.
 */
export function useCreation<Answer>(path: string, onSuccess: (answer: Answer) => unknown) {
  const known = useRef({ body: '', key: '' });
  return useMutation({
    async mutationFn(body: object | undefined) {
      const text = path + JSON.stringify(body);
      if (known.current.body !== text) known.current = { body: text, key: crypto.randomUUID() };
      const forget = () => {
        known.current = { body: '', key: '' };
      };
      try {
        const answer = await call<Answer>('POST', path, { body, idempotencyKey: known.current.key });
        forget();
        return answer;
      } catch (error) {
        // A refusal is an answer. Of anything else nobody knows whether it happened.
        if (error instanceof ApiProblem && error.problem.status < 500) forget();
        throw error;
      }
    },
    onSuccess,
  });
}
