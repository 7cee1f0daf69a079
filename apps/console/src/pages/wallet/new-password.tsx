import { useState } from 'react';
import { Input } from '../../ui/field.tsx';

/** Asks for the new password of a wallet, twice: nobody could restore one that was mistyped. */
export function NewPassword({
  label = 'Password',
  password,
  change,
}: {
  label?: string;
  password: string;
  change: (password: string) => void;
}) {
  const [again, setAgain] = useState('');
  return (
    <>
      <Input
        label={label}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={({ target }) => change(target.value)}
      />
      <Input
        label="The same again"
        type="password"
        autoComplete="new-password"
        required
        // By it the browser sends no form in which they differ.
        ref={(field) => field?.setCustomValidity(again === password ? '' : 'Has to be the same password.')}
        value={again}
        onChange={({ target }) => setAgain(target.value)}
        error={again === '' || password.startsWith(again) ? undefined : 'is not the same'}
      />
    </>
  );
}
