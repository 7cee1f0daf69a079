import { useState } from 'react';
import { signIn } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Outside } from '../ui/outside.tsx';
import { ProblemNote } from '../ui/problem.tsx';

export function SignedOut() {
  const [error, setError] = useState<unknown>();
  return (
    <Outside title="You are signed out">
      <p className="mb-6 text-ink-2">The session has ended on this device and on the service.</p>
      {error === undefined ? null : (
        <div className="mb-4">
          <ProblemNote error={error} />
        </div>
      )}
      <Button look="primary" className="w-full" onClick={() => void signIn('/console/').catch(setError)}>
        Sign in
      </Button>
    </Outside>
  );
}
