import { type FormEvent, useState } from 'react';
import { ApiProblem } from '../api/client.ts';
import { setFirstPassword } from '../session/first-password.ts';
import { givenInitToken } from '../session/mail-link.ts';
import { signIn } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Check, Input } from '../ui/field.tsx';
import { Outside } from '../ui/outside.tsx';
import { ProblemNote } from '../ui/problem.tsx';

/** The target of an invitation mail for a new user: sets a name and a first password, then signs in. */
export function Welcome() {
  const initToken = givenInitToken();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [agreed, setAgreed] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (initToken === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      await setFirstPassword({ initToken, name, password });
      await signIn('/console/');
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };

  if (initToken === undefined) {
    return (
      <Outside title="Open the link in your mail again">
        <p className="mb-6 text-ink-2">
          For your safety, the link’s secret is not stored: reloading the page discards it. If you have
          already set a password, sign in.
        </p>
        <Button look="primary" className="w-full" onClick={() => void signIn('/console/').catch(setError)}>
          Sign in
        </Button>
      </Outside>
    );
  }
  const nameFault = faultOf(error, '/additional/name');
  const passwordFault = faultOf(error, '/additional/password');
  // Field errors are shown at the fields.
  const fault = nameFault ?? passwordFault;
  return (
    <Outside title="Welcome: choose your password">
      <form onSubmit={(event) => void submit(event)} className="space-y-5">
        {error === undefined || fault !== undefined ? null : <ProblemNote error={error} />}
        <Input
          label="Your name"
          autoComplete="name"
          required
          maxLength={200}
          value={name}
          set={setName}
          error={nameFault}
        />
        <Input
          label="Password"
          type="password"
          autoComplete="new-password"
          required
          value={password}
          set={setPassword}
          hint="A longer password is better than a complicated one: use four or five random words."
          error={passwordFault}
        />
        <Check
          label="I accept the terms and conditions of this service."
          required
          checked={agreed}
          onChange={({ target }) => setAgreed(target.checked)}
        />
        <Button type="submit" look="primary" className="w-full" busy={busy}>
          Set the password and sign in
        </Button>
      </form>
    </Outside>
  );
}

function faultOf(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.problem.errors?.find((one) => one.pointer === pointer)?.detail;
}
