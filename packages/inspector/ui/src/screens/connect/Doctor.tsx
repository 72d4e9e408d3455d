import type { ComponentType, ReactNode } from 'react';
import type { DoctorStep } from '../../../../src/api/views.ts';
import { classes } from '../../parts/classes.ts';
import { Evidence } from '../../parts/Evidence.tsx';
import { FailIcon, type IconProps, PassIcon, RefreshIcon, SkipIcon, WarnIcon } from '../../parts/icons.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { duration } from '../../parts/numbers.ts';
import css from './doctor.module.css';

const ICONS: Readonly<Record<DoctorStep['status'], ComponentType<IconProps>>> = {
  running: RefreshIcon,
  pass: PassIcon,
  warn: WarnIcon,
  fail: FailIcon,
  skip: SkipIcon,
};

function Step({ step }: { readonly step: DoctorStep }): ReactNode {
  const Icon = ICONS[step.status];
  return (
    <li className={css.step}>
      <span className={classes(css.icon, css[step.status])}>
        <Icon size={14} />
        <span className={css.said}>{step.status}</span>
      </span>
      <div className={css.body}>
        <p className={css.head}>
          <span className={css.title}>{step.title}</span>
          {step.ms !== undefined && <span className={css.ms}>{duration(step.ms)}</span>}
          <Evidence lines={step.evidence} />
        </p>
        {step.detail !== undefined && (
          <p className={css.detail}>
            <Inert text={step.detail} block most={600} />
          </p>
        )}
        {step.fix !== undefined && (
          <p className={css.fix}>
            <Inert text={step.fix} block most={600} />
          </p>
        )}
      </div>
    </li>
  );
}

/** The steps of the doctor, in order, with their evidence. */
export function Doctor({ steps }: { readonly steps: readonly DoctorStep[] }): ReactNode {
  return (
    <section className={css.doctor}>
      <h3 className={css.heading}>Doctor</h3>
      {steps.length === 0 ? (
        <p className={css.detail}>Nothing has been examined yet.</p>
      ) : (
        <ol className={css.steps}>
          {steps.map((step) => (
            <Step key={step.id} step={step} />
          ))}
        </ol>
      )}
    </section>
  );
}
