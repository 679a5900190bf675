// @ts-check
/** The texts of the sample base, about a company that does not exist. */
export const documents = {
  zh: [
    {
      name: '休假制度.md',
      content: '# 休假制度\n\n## 年假\n\n员工入职满一年后，每年享有 10 天年假；满五年后为 15 天。当年未休完的年假可以顺延到次年 3 月 31 日，逾期作废。\n\n## 病假\n\n病假连续三天以上须提交医院证明。病假期间工资按 80% 发放。\n\n## 婚假\n\n员工结婚可休婚假 10 天，须在登记之日起一年内休完。\n',
    },
    {
      name: '差旅报销.md',
      content: '# 差旅报销\n\n## 住宿标准\n\n国内出差的住宿标准为一线城市每晚 500 元，其他城市每晚 380 元。超出标准的部分由出差人自行承担，经部门负责人批准的除外。\n\n## 交通\n\n五小时以内的行程乘坐高铁二等座；五小时以上可以乘坐飞机经济舱。\n\n## 审批\n\n单次报销超过 5000 元的，由财务总监审批。报销单须在返程后 30 天内提交。\n',
    },
    {
      name: '设备清单.csv',
      content: '型号,名称,责任班组,上次检修\nQTR-1204,一号锅炉,甲班,2026-03-11\nQTR-7310,三号锅炉,丙班,2026-08-02\nPMP-0092,循环水泵,乙班,2026-05-27\n',
    },
  ],
  en: [
    {
      name: 'leave.md',
      content: '# Leave\n\n## Annual leave\n\nAfter one year of service staff have 10 days of annual leave a year, after five years 15 days. Days that were not taken can be carried over until 31 March of the next year; after that they expire.\n\n## Sick leave\n\nSick leave of more than three days in a row needs a certificate from a doctor. Pay during sick leave is 80 % of the salary.\n\n## Wedding leave\n\nStaff who marry have 10 days off, to be taken within a year of the registration.\n',
    },
    {
      name: 'travel.md',
      content: '# Travel and expenses\n\n## Hotels\n\nThe limit for a hotel is 120 euros a night in large cities and 90 euros elsewhere. What a hotel costs above the limit is paid by the traveller, unless the head of the department has approved it.\n\n## Transport\n\nJourneys of up to five hours are made by train in second class; longer ones may be made by plane in economy class.\n\n## Approval\n\nClaims of more than 1,000 euros are approved by the chief financial officer. Claims are handed in within 30 days of the return.\n',
    },
    {
      name: 'devices.csv',
      content: 'model,name,team,last inspection\nQTR-1204,boiler one,team A,2026-03-11\nQTR-7310,boiler three,team C,2026-08-02\nPMP-0092,circulation pump,team B,2026-05-27\n',
    },
  ],
};
