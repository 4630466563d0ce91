    const name = (Object.keys(onceVerdict) as (keyof typeof onceVerdict)[]).find(k => onceVerdict[k] === verdict)!;
