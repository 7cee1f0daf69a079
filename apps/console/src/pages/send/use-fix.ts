import { type RefObject, useEffect, useRef } from 'react';
import { type Fix, isFieldOf } from '../../lib/fix.ts';

/**
 * Focuses the field to change in a form that was filled from an earlier action. Fields appear while the form
 * loads. If a more useful field appears later, it takes the focus, unless the user has already typed or
 * clicked.
 */
export function useFix(fix: Fix | undefined): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  /** Index in `fix` of the focused field. Only fields before it can take the focus. */
  const best = useRef(fix?.length ?? 0);
  useEffect(() => {
    const done = () => {
      best.current = 0;
    };
    const events = ['pointerdown', 'keydown'] as const;
    for (const event of events) document.addEventListener(event, done);
    return () => {
      for (const event of events) document.removeEventListener(event, done);
    };
  }, []);
  // After every render, because any of them may add fields.
  useEffect(() => {
    const fields = [...(form.current?.querySelectorAll<HTMLElement>('[data-at]:not(:disabled)') ?? [])];
    for (const [place, pointer] of (fix ?? []).slice(0, best.current).entries()) {
      const field = fields.find(({ dataset: { at } }) => at !== undefined && isFieldOf(pointer, at));
      if (field === undefined) continue;
      best.current = place;
      field.closest('details')?.setAttribute('open', '');
      field.focus();
      return;
    }
  });
  return form;
}
