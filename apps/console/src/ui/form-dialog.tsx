import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem.tsx';

/** A form in a window: its fields, a refusal, and the two ways out of it. */
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
  /** Of the button that sends it. */
  confirm: string;
  look?: 'primary' | 'danger';
  /** Of the button that does not. */
  dismiss?: string;
  /** Fields stand in two columns, where there is room. */
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
        {request.error === null ? null : <ProblemNote error={request.error} />}
        {children}
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
