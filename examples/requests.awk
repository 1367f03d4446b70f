# SPDX-License-Identifier: BSD-3-Clause
# A week of a request log, the same each time: a row a request, with texts, time stamps, missing cells
# and a number that only counts. More people come by day and on weekdays.
#
#   awk -v week=1 -f examples/requests.awk     normal requests
#   awk -v week=2 -f examples/requests.awk     a week later: some requests are odd
#   awk -v week=3 -f examples/requests.awk     another one: answers have grown, too

function random() { # Lehmer's generator: whole numbers that a double holds, so every awk agrees
    state = state * 16807 % 2147483647
    return state / 2147483647
}

function bell(   sum, i) {
    sum = 0
    for (i = 0; i < 6; i++)
        sum += random() - 0.5
    return sum * 1.4
}

function print_row(time, service, method, status, bytes, seconds, cache) {
    printf "%d,%s,%s,%s,%d,%d,%.4f,%s\n", ++id, time, service, method, status, bytes, seconds, cache
}

function at(day, hour,   second) {
    second = int(3600 * random())
    return sprintf("2026-11-%02dT%02d:%02d:%02d", first + day, hour, int(second / 60), second % 60)
}

function request(day, hour,   service, post, kind, bytes) {
    kind = random()
    service = kind < 0.6 ? "web" : kind < 0.9 ? "api" : "login"
    post = service == "login" || (service == "api" && random() < 0.3)
    bytes = (service == "web" ? 18000 : service == "api" ? 2400 : 600) * growth * exp(0.6 * bell())
    kind = random()
    print_row(at(day, hour), service, post ? "POST" : "GET", kind < 0.95 ? 200 : kind < 0.99 ? 304 : 404,
              bytes, (service == "login" ? 0.2 : 0.03) * exp(0.4 * bell()),
              post ? "" : random() < 0.8 ? "hit" : "miss")
}

# What somebody should look at.
function odd(day) {
    if (day == 1)
        print_row(at(day, 3), "api", "GET", 200, 9000000 + int(1000 * random()), 4.2, "miss")
    if (day == 2)
        print_row(at(day, 14), "login", "POST", 200, 640, 11.5, "")
    if (day == 4)
        print_row(at(day, 11), "login", "DELETE", 200, 590, 0.21, "")
    if (day == 5)
        print_row(at(day, 15), "web", "GET", 200, 17000, 0.03, "")
}

BEGIN {
    state = 1000 + week
    first = 2 + 7 * (week - 1)
    growth = week > 2 ? 2.5 : 1
    id = 100000 * week
    print "request,time,service,method,status,bytes,seconds,cache"
    for (day = 0; day < 7; day++) {
        for (hour = 0; hour < 24; hour++) {
            n = (hour >= 8 && hour < 20 ? 70 : hour >= 6 ? 30 : 4) * (day < 5 ? 1 : 0.5)
            for (i = 0; i < n; i++)
                request(day, hour)
        }
        if (week > 1)
            odd(day)
    }
}
