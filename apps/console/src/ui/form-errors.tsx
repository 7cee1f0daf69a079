import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { ApiProblem } from '../api/client.ts';

/** An error of one value of a request: its JSON pointer, and what is wrong. */
interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

interface Errors {
  readonly faults: readonly Fault[];
  /** Registers a field for a pointer. Returns the function that removes it. */
  readonly claim: (pointer: string) => () => void;
  readonly claimed: ReadonlySet<string>;
}

const Context = createContext<Errors>({ faults: [], claim: () => () => {}, claimed: new Set() });

/** Problems without a pointer, with the field at which forms show them. */
const fieldOfProblem: Readonly<Record<string, string>> = {
  'wrong-wallet-password': '/walletPassword',
  'insufficient-funds': '/glo/options/amount',
};

const isWithin = (pointer: string, field: string) => pointer === field || pointer.startsWith(`${field}/`);

/** The errors of a refused request, one per invalid value. */
export function faultsOf(error: unknown): readonly Fault[] {
  if (!(error instanceof ApiProblem)) return [];
  const { errors = [], detail } = error.problem;
  const field = fieldOfProblem[error.name];
  return errors.length > 0 || field === undefined ? errors : [{ pointer: field, detail }];
}

/**
 * Shows the errors of a refused request at the form's fields, opens the sections that contain these fields,
 * and focuses the first of them.
 */
export function FormErrors({
  error,
  className = 'contents',
  children,
}: {
  error: unknown;
  className?: string;
  children: ReactNode;
}) {
  const [claims, setClaims] = useState<readonly string[]>([]);
  const element = useRef<HTMLDivElement>(null);
  const claim = useCallback((pointer: string) => {
    setClaims((before) => [...before, pointer]);
    return () => setClaims((before) => before.toSpliced(before.indexOf(pointer), 1));
  }, []);
  const faults = useMemo(() => faultsOf(error), [error]);
  useEffect(() => {
    if (faults.length === 0) return;
    const fields = [...(element.current?.querySelectorAll<HTMLElement>('[aria-invalid=true]') ?? [])];
    for (const field of fields) field.closest('details')?.setAttribute('open', '');
    fields[0]?.focus();
  }, [faults]);
  const value = useMemo(() => ({ faults, claim, claimed: new Set(claims) }), [faults, claim, claims]);
  return (
    <div ref={element} className={className}>
      <Context value={value}>{children}</Context>
    </div>
  );
}

/**
 * The service's error for a field, until the field's value changes.
 * @param pointer position of the field's value in the request; undefined if the request does not contain it
 */
export function useFieldError(pointer: string | undefined, value: unknown): string | undefined {
  const { faults, claim } = useContext(Context);
  useEffect(() => (pointer === undefined ? undefined : claim(pointer)), [pointer, claim]);
  const fault = pointer === undefined ? undefined : faults.find((one) => isWithin(one.pointer, pointer));
  const [refused, setRefused] = useState({ fault, value });
  if (fault !== refused.fault) {
    setRefused({ fault, value });
    return fault?.detail;
  }
  return value === refused.value ? fault?.detail : undefined;
}

/** The errors that no field of the form shows. */
export function useOtherFaults(error: unknown): readonly Fault[] {
  const { claimed } = useContext(Context);
  return faultsOf(error).filter(({ pointer }) => ![...claimed].some((field) => isWithin(pointer, field)));
}
