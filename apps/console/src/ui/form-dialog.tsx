import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormErrors } from './form-errors.tsx';
import { ProblemNote } from './problem.tsx';

/** A form in a dialog: its fields, the service's error, and buttons to submit or cancel. */
export function FormDialog({
  title,
  about,
  confirm,
  look = 'primary',
  dismiss = 'Cancel',
  wide = false,
  request,
  submit,
  close,
  children,
}: {
  title: string;
  about?: ReactNode;
  /** Label of the submit button. */
  confirm: string;
  look?: 'primary' | 'danger';
  /** Label of the cancel button. */
  dismiss?: string;
  /** Shows fields in two columns if the screen is wide enough. */
  wide?: boolean;
  request: { isPending: boolean; error: Error | null };
  submit: () => void;
  close: () => void;
  children?: ReactNode;
}) {
  return (
    <Dialog close={close} title={title} about={about} wide={wide}>
      <form
        className="space-y-4"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          submit();
        }}
      >
        <FormErrors error={request.error} className="space-y-4">
          {request.error === null ? null : <ProblemNote error={request.error} />}
          {children}
        </FormErrors>
        <div className="flex flex-wrap justify-end gap-2 pt-1">
          <Button onClick={close}>{dismiss}</Button>
          <Button type="submit" look={look} busy={request.isPending}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
