import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { returnOnce, signIn } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Outside } from '../ui/outside.tsx';
import { ProblemNote } from '../ui/problem.tsx';

/** The redirect target of the sign-in. */
export function Callback() {
  const router = useRouter();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    returnOnce().finished.then((returnTo) => router.history.replace(returnTo), setError);
  }, [router]);
  if (error === undefined) return null;
  return (
    <Outside title="Not signed in">
      <ProblemNote error={error} />
      <Button look="primary" className="mt-6 w-full" onClick={() => void signIn('/console/').catch(setError)}>
        Sign in
      </Button>
    </Outside>
  );
}
