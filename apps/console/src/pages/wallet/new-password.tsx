import { useState } from 'react';
import { Input } from '../../ui/field.tsx';

/** Asks for a new wallet password twice: a mistyped password cannot be recovered. */
export function NewPassword({
  label = 'Password',
  at,
  password,
  change,
}: {
  label?: string;
  /** JSON pointer of the password in the request. */
  at: string;
  password: string;
  change: (password: string) => void;
}) {
  const [again, setAgain] = useState('');
  return (
    <>
      <Input
        label={label}
        at={at}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        set={change}
      />
      <Input
        label="Repeat the password"
        type="password"
        autoComplete="new-password"
        required
        // The browser does not submit the form while the two differ.
        ref={(field) => field?.setCustomValidity(again === password ? '' : 'Must be the same password.')}
        value={again}
        set={setAgain}
        error={again === '' || password.startsWith(again) ? undefined : 'is different'}
      />
    </>
  );
}
